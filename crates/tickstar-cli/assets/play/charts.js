// The two small charts: what each tick spent of its budget, and how long the frames of a crowd took.

function prepare(canvas) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/**
 * One bar per tick, the latest at the right: `parts(tick)` gives its stacked parts, `budget(tick)`
 * the line they should stay under; where `event(tick)` is true, a small mark is at the top.
 */
export function drawStrip(canvas, colors, first, shown, parts, budget, event) {
  const { context, width, height } = prepare(canvas);
  if (width === 0) return;
  const step = 3;
  const most = Math.floor(width / step);
  const from = Math.max(first, shown - most + 1);
  let top = 1, limits = 1;
  const bars = [];
  for (let tick = from; tick <= shown; tick++) {
    const bar = parts(tick), limit = budget(tick);
    bars.push({ bar, limit, marked: event(tick) });
    limits = Math.max(limits, limit);
    top = Math.max(top, limit * 1.15, bar.reduce((a, b) => a + b, 0));
  }
  // One tick far above its budget must not make all others invisible: it is cut off.
  top = Math.min(top, limits * 2.5);
  const room = 6; // for the marks
  const y = (value) => height - (Math.min(value, top) / top) * (height - room);
  const x0 = Math.min(0, width - bars.length * step);
  for (let part = 0; part < 3; part++) {
    context.fillStyle = colors.bars[part];
    bars.forEach(({ bar }, i) => {
      if (!bar[part]) return;
      let below = 0;
      for (let p = 0; p < part; p++) below += bar[p];
      const low = y(below), high = y(below + bar[part]);
      context.fillRect(x0 + i * step, Math.min(high, low - 1), step - 1, Math.max(1, low - high));
    });
  }
  context.fillStyle = colors.limit;
  bars.forEach(({ limit }, i) => context.fillRect(x0 + i * step, y(limit), i % 2 ? step : step - 1, 1));
  context.fillStyle = colors.text;
  bars.forEach(({ marked }, i) => {
    if (!marked) return;
    const x = x0 + i * step + 1;
    context.beginPath();
    context.moveTo(x - 3.5, 0);
    context.lineTo(x + 3.5, 0);
    context.lineTo(x, 6);
    context.fill();
  });
}

/** How many frames took how long: `nanos` holds one time per frame; bins are powers of two. */
export function drawHistogram(canvas, colors, nanos, text) {
  const { context, width, height } = prepare(canvas);
  if (width === 0) return null;
  // From 16 µs in steps of a factor of 2 up to 32 ms and more.
  const bins = new Uint32Array(12);
  let longest = 0, sum = 0;
  for (const time of nanos) {
    bins[Math.max(0, Math.min(11, Math.floor(Math.log2(Math.max(1, time / 16_000)))))]++;
    longest = Math.max(longest, time);
    sum += time;
  }
  const top = Math.max(1, ...bins), room = 15, each = width / bins.length;
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'center';
  for (let i = 0; i < bins.length; i++) {
    const tall = (bins[i] / top) * (height - room - 2);
    context.fillStyle = colors.bars[0];
    context.fillRect(i * each + 1, height - room - Math.max(bins[i] ? 1 : 0, tall), each - 2, Math.max(bins[i] ? 1 : 0, tall));
    context.fillStyle = text;
    if (i % 3 === 0) {
      const micros = 16 * 2 ** i;
      context.fillText(micros < 1000 ? `${micros} µs` : `${Math.round(micros / 1000)} ms`, i * each + Math.max(18, each / 2), height - 3);
    }
  }
  return { longest, mean: nanos.length ? sum / nanos.length : 0 };
}
