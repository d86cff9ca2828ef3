// Mouse, pen and touch on the maps: pan and zoom, draw and erase, drag the start and the goal.

/** How far from a marker, in CSS pixels, it can still be grabbed; fingers need more. */
const REACH = { mouse: 14, pen: 16, touch: 24 };

/** The cells on the way from one cell to another, both included. */
export function cellsBetween(from, to) {
  const cells = [];
  let { x, y } = from;
  const dx = Math.abs(to.x - x), dy = -Math.abs(to.y - y), sx = x < to.x ? 1 : -1, sy = y < to.y ? 1 : -1;
  for (let error = dx + dy; ;) {
    cells.push({ x, y });
    if (x === to.x && y === to.y) return cells;
    const twice = 2 * error;
    if (twice >= dy) {
      error += dy;
      x += sx;
    }
    if (twice <= dx) {
      error += dx;
      y += sy;
    }
  }
}

/**
 * Follows the pointers on one canvas. `host` says what is there and does what is asked:
 * view, tool(), markers(), draw(from, to), endDraw(), drag(kind, cell), drop(kind, cell).
 */
export function attach(canvas, host) {
  const pointers = new Map();
  let action = null; // 'pan', 'draw', 'pinch', or a marker being dragged
  let last = null;
  let drawn = false;

  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const cellAt = (p) => {
    const cell = host.view.toCell(p.x, p.y);
    return { x: Math.floor(cell.x), y: Math.floor(cell.y) };
  };
  const inside = ({ x, y }) => ({ x: Math.min(host.view.cells.width - 1, Math.max(0, x)), y: Math.min(host.view.cells.height - 1, Math.max(0, y)) });

  function grabbed(p, type) {
    for (const { kind, cell } of host.markers()) {
      const m = host.view.toScreen(cell[0] + 0.5, cell[1] + 0.5);
      const reach = Math.max(REACH[type] ?? 14, host.view.scale / 2);
      if (Math.hypot(m.x - p.x, m.y - p.y) <= reach) return { kind, cell: { x: cell[0], y: cell[1] } };
    }
    return null;
  }

  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
  };

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    const p = point(event);
    pointers.set(event.pointerId, p);
    if (pointers.size === 2) {
      // A second finger: what the first one began was the beginning of a pinch.
      if (action === 'draw') host.endDraw();
      else if (action?.kind) host.drop(action.kind, null);
      action = 'pinch';
      last = spread();
      return;
    }
    if (pointers.size > 2) return;
    const marker = event.button === 0 ? grabbed(p, event.pointerType) : null;
    last = p;
    drawn = false;
    if (marker) action = marker;
    else if (event.button !== 0 || event.shiftKey || host.tool() === 'pan') action = 'pan';
    else {
      action = 'draw';
      // A finger may be the first of two: it draws when it moves or lifts.
      if (event.pointerType !== 'touch') {
        drawn = true;
        host.draw(cellAt(p), cellAt(p));
      }
    }
    canvas.classList.toggle('grabbing', action === 'pan' || Boolean(marker));
  });

  canvas.addEventListener('pointermove', (event) => {
    const p = point(event);
    if (!pointers.has(event.pointerId)) {
      canvas.classList.toggle('over-marker', grabbed(p, event.pointerType) !== null);
      return;
    }
    pointers.set(event.pointerId, p);
    if (action === 'pinch') {
      if (pointers.size < 2) return;
      const now = spread();
      host.view.zoom(now.distance / last.distance, now.x, now.y);
      host.view.pan(now.x - last.x, now.y - last.y);
      last = now;
    } else if (action === 'pan') {
      host.view.pan(p.x - last.x, p.y - last.y);
      last = p;
    } else if (action === 'draw') {
      // The events between two frames too: a quick stroke stays a curve.
      for (const between of event.getCoalescedEvents?.() ?? [event]) {
        const q = point(between);
        host.draw(cellAt(last), cellAt(q));
        last = q;
      }
      drawn = true;
    } else if (action?.kind) {
      const cell = inside(cellAt(p));
      if (cell.x !== action.cell.x || cell.y !== action.cell.y) {
        action.cell = cell;
        host.drag(action.kind, [cell.x, cell.y]);
      }
    }
  });

  const lift = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (action === 'draw') {
      if (!drawn && event.type === 'pointerup') host.draw(cellAt(last), cellAt(last));
      host.endDraw();
    } else if (action?.kind) host.drop(action.kind, event.type === 'pointerup' ? [action.cell.x, action.cell.y] : null);
    if (action !== 'pinch' || pointers.size === 0) action = null;
    canvas.classList.remove('grabbing');
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const p = point(event);
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    host.view.zoom(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.0016)), p.x, p.y);
  }, { passive: false });
}
