// One contestant on the screen: the map with its lines and markers, its figures, its strip chart.

import { MapLayer } from './map-layer.js';
import { drawStrip, drawHistogram } from './charts.js';
import * as format from './format.js';

/** Nodes of coarser levels are shown for this many ticks. */
const ABOVE_TICKS = 24;
const MOST_ABOVE = 4000;
const MOST_TREE = 20_000;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const FIGURES = [
  ['first', 'First move', 'The tick of its first move: how long it stood still before it acted.'],
  ['length', 'Length', 'The length of its walk so far, against the shortest possible walk from start to goal.'],
  ['moves', 'Moves', 'Steps taken so far.'],
  ['backs', 'Steps back', 'Steps that went back along its own walk.'],
  ['spent', 'Expanded', 'What this tick spent on its search, against the budget: mostly nodes expanded.'],
  ['traced', 'Traced', 'Steps of tracing the path back through the search tree, in this tick.'],
  ['updates', 'Updates', 'Other work of this tick, such as learning and taking in changes of the map.'],
  ['memory', 'Memory', 'What the agent holds in memory now.'],
];
const CROWD_FIGURES = [
  ['walking', 'Walking', 'Units that know their way and walk.'],
  ['waiting', 'Waiting', 'Units that wait for a plan.'],
  ['arrived', 'Arrived', 'Units that have arrived and left the map.'],
  ['noWay', 'No way', 'Units that were told that there is no way to their goal.'],
  ['spent', 'This frame', 'Units of work that this frame spent, against the budget for all units together.'],
  ['memory', 'Memory', 'What the whole crowd holds in memory.'],
];

export class Pane {
  constructor(index, { scene, history, colors, display, paper }) {
    this.index = index;
    this.scene = scene;
    this.history = history;
    this.colors = colors;
    this.display = display;
    this.tick = -1;
    this.layer = new MapLayer(scene, history, index, colors);
    this.layer.showSearch = display.search;
    this.build(paper);
  }

  build(paper) {
    const crowd = this.scene.crowd;
    const contestant = this.scene.contestants[this.index];
    const root = this.root = element('section', 'pane');
    root.dataset.testid = `pane-${this.index}`;
    const header = element('header', 'pane-head');
    header.append(element('span', 'badge', crowd ? '∗' : 'ABC'[this.index]));
    const short = crowd ? 'Crowd' : contestant.title.replace(/ \(.*\)$/, '');
    const title = element('h2', '', short);
    // Two of one kind differ by their settings.
    const chosen = crowd ? '' : contestant.name.split(':').slice(1).join(', ').replaceAll('=', ' ');
    if (chosen) title.append(' ', element('small', '', chosen));
    title.title = crowd ? '' : `${contestant.title}: ${contestant.name}`;
    this.name = crowd ? `${format.count(crowd.agents)} units` : chosen ? `${short} (${chosen})` : short;
    root.setAttribute('aria-label', this.name);
    header.append(title);
    this.stateText = element('span', 'pane-state', 'ready');
    header.append(this.stateText);
    if (paper) {
      const details = element('details', 'paper');
      const summary = element('summary', '', 'Paper');
      summary.setAttribute('aria-label', `Paper: where ${this.name} comes from`);
      const card = element('div', 'paper-card');
      card.append(element('p', '', paper.about), element('p', 'citation', paper.paper));
      if (contestant && contestant.name !== contestant.title) card.append(element('p', 'muted', `On the command line: ${contestant.name}`));
      details.append(summary, card);
      header.append(details);
    }
    const view = this.view = element('div', 'view');
    this.canvas = element('canvas', 'map');
    this.canvas.setAttribute('role', 'img');
    this.canvas.tabIndex = 0;
    view.append(this.canvas);
    const figures = element('dl', crowd ? 'figures crowd' : 'figures');
    figures.dataset.testid = `figures-${this.index}`;
    this.values = {};
    for (const [key, label, help] of crowd ? CROWD_FIGURES : FIGURES) {
      const cell = element('div', 'figure');
      cell.title = help;
      const term = element('dt', '', label);
      const value = this.values[key] = element('dd', '', '–');
      value.dataset.figure = key;
      cell.append(term, value);
      figures.append(cell);
    }
    const charts = element('div', 'charts');
    this.strip = this.chart(charts, 'strip', crowd ? 'Units of work spent in each frame, against the budget' : 'Spent in each tick: expansions, tracing, updates, against the budget');
    if (crowd) {
      this.histogram = this.chart(charts, 'strip', 'How many frames took how long');
      this.histogramText = element('p', 'chart-note', 'Time per frame, measured');
      charts.append(this.histogramText);
    }
    root.append(header, view, figures, charts);
    this.canvas.setAttribute('aria-label', this.describe(0));
    this.context = this.canvas.getContext('2d', { alpha: false });
  }

  chart(parent, className, label) {
    const canvas = element('canvas', className);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', label);
    canvas.title = label;
    parent.append(canvas);
    return canvas;
  }

  setColors(colors) {
    this.colors = colors;
    this.layer.setColors(colors);
    this.tick = -1;
  }

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const { clientWidth, clientHeight } = this.view;
    const width = Math.max(1, Math.round(clientWidth * ratio)), height = Math.max(1, Math.round(clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.ratio = ratio;
    this.tick = -1;
    return { width: clientWidth, height: clientHeight };
  }

  /** Draws the moment after `tick`. `ghost`: a marker that is being dragged. */
  draw(tick, view, { ghost = null, crosshair = false } = {}) {
    this.layer.show(tick);
    const { context: c, colors: { css }, ratio, layer, scene } = this;
    const { scale } = view;
    const left = view.width / 2 - view.x * scale, top = view.height / 2 - view.y * scale;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = css.background;
    c.fillRect(0, 0, view.width, view.height);
    // Only what is visible, so that a large zoom does not scale the whole map.
    const x1 = Math.max(0, Math.floor(-left / scale)), y1 = Math.max(0, Math.floor(-top / scale));
    const x2 = Math.min(scene.width, Math.ceil((view.width - left) / scale)), y2 = Math.min(scene.height, Math.ceil((view.height - top) / scale));
    if (x2 > x1 && y2 > y1) {
      c.imageSmoothingEnabled = scale * ratio < 1;
      c.drawImage(layer.canvas, x1, y1, x2 - x1, y2 - y1, left + x1 * scale, top + y1 * scale, (x2 - x1) * scale, (y2 - y1) * scale);
    }
    c.strokeStyle = css.edge;
    c.lineWidth = 1;
    c.strokeRect(Math.round(left) - 0.5, Math.round(top) - 0.5, Math.round(scene.width * scale) + 1, Math.round(scene.height * scale) + 1);
    c.setTransform(ratio * scale, 0, 0, ratio * scale, left * ratio, top * ratio);
    if (scale >= 10) this.drawGrid(x1, y1, x2, y2, scale);
    if (scene.crowd) this.drawCrowd(tick, view, left, top);
    else this.drawAgent(tick, view, ghost);
    if (crosshair) {
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      c.strokeStyle = css.target;
      c.lineWidth = 1.5;
      const x = view.width / 2, y = view.height / 2;
      c.beginPath();
      c.moveTo(x - 9, y);
      c.lineTo(x + 9, y);
      c.moveTo(x, y - 9);
      c.lineTo(x, y + 9);
      c.stroke();
    }
    if (tick !== this.tick) {
      this.tick = tick;
      this.drawCharts(tick);
    }
  }

  drawGrid(x1, y1, x2, y2, scale) {
    const c = this.context;
    c.strokeStyle = this.colors.css.grid;
    c.lineWidth = 1 / scale;
    c.beginPath();
    for (let x = x1; x <= x2; x++) {
      c.moveTo(x, y1);
      c.lineTo(x, y2);
    }
    for (let y = y1; y <= y2; y++) {
      c.moveTo(x1, y);
      c.lineTo(x2, y);
    }
    c.stroke();
  }

  /** A line of cells, with a point only where it bends. */
  pathOf(cells) {
    const { width } = this.scene;
    const path = new Path2D();
    let px = 0, py = 0, dx = 0, dy = 0;
    for (let i = 0; i < cells.length; i++) {
      const x = cells[i] % width, y = (cells[i] - x) / width;
      if (i === 0) path.moveTo(x + 0.5, y + 0.5);
      else if (i > 1 && (x - px !== dx || y - py !== dy)) path.lineTo(px + 0.5, py + 0.5);
      if (i > 0) {
        dx = x - px;
        dy = y - py;
      }
      px = x;
      py = y;
    }
    if (cells.length > 1) path.lineTo(px + 0.5, py + 0.5);
    return path;
  }

  stroke(path, color, pixels, scale, { dash = null, halo = true } = {}) {
    const c = this.context;
    if (halo) {
      c.strokeStyle = this.colors.css.rim;
      c.globalAlpha = 0.75;
      c.lineWidth = (pixels + 2) / scale;
      c.stroke(path);
      c.globalAlpha = 1;
    }
    c.strokeStyle = color;
    c.lineWidth = pixels / scale;
    if (dash) c.setLineDash(dash.map((length) => length / scale));
    c.stroke(path);
    if (dash) c.setLineDash([]);
  }

  drawAgent(tick, view, ghost) {
    const { context: c, colors: { css }, layer: { state }, scene, history, display } = this;
    const { scale } = view;
    const { width } = scene;
    c.lineJoin = c.lineCap = 'round';
    if (display.levels) {
      this.drawAbove(tick, scale);
      if (state.tree?.length) {
        const path = new Path2D();
        const pairs = Math.min(state.tree.length, MOST_TREE);
        for (let i = 0; i + 1 < pairs; i += 2) {
          const a = state.tree[i], b = state.tree[i + 1];
          path.moveTo((a % width) + 0.5, Math.floor(a / width) + 0.5);
          path.lineTo((b % width) + 0.5, Math.floor(b / width) + 0.5);
        }
        this.stroke(path, css.tree, 1, scale, { halo: false });
      }
    }
    if (display.plan && state.plan?.length > 1) {
      if (this.planOf !== state.plan || this.planAt !== state.at) {
        this.planOf = state.plan;
        this.planAt = state.at;
        // What is behind the agent is not its plan any more.
        this.planPath = this.pathOf(state.plan.subarray(Math.max(0, state.plan.lastIndexOf(state.at))));
      }
      this.stroke(this.planPath, css.plan, 2, scale);
    }
    if (display.walk) {
      const walk = this.layer.walkPaths();
      this.stroke(walk.on, css.walk, 2.5, scale);
      if (walk.backs > 0) this.stroke(walk.back, css.back, 2, scale, { dash: walk.backs < 3000 ? [1, 4] : null, halo: false });
    }
    const pixel = (cell) => view.toScreen((cell % width) + 0.5, Math.floor(cell / width) + 0.5);
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const target = history.has(tick) ? history.get(tick, this.index, 'target') : -1;
    const size = Math.max(7, Math.min(26, scale * 0.42));
    const goal = ghost?.goal ?? history.goalAt(tick), start = ghost?.start ?? scene.start;
    if (target >= 0 && target !== goal[1] * width + goal[0] && display.plan) {
      const p = pixel(target);
      for (const [color, thick] of [[css.rim, 4], [css.target, 2]]) {
        c.strokeStyle = color;
        c.lineWidth = thick;
        c.beginPath();
        c.arc(p.x, p.y, size * 0.65, 0, 7);
        c.stroke();
      }
    }
    this.marker(view.toScreen(start[0] + 0.5, start[1] + 0.5), size, css.start, 'S', 'square');
    this.marker(view.toScreen(goal[0] + 0.5, goal[1] + 0.5), size, css.goal, 'G', 'diamond');
    const at = pixel(state.at);
    c.fillStyle = css.agent;
    c.strokeStyle = css.rim;
    c.lineWidth = 2;
    c.beginPath();
    c.arc(at.x, at.y, Math.max(5.5, Math.min(20, scale * 0.34)), 0, 7);
    c.fill();
    c.stroke();
  }

  marker({ x, y }, size, color, letter, shape) {
    const { context: c, colors: { css } } = this;
    c.fillStyle = color;
    c.strokeStyle = css.rim;
    c.lineWidth = 2;
    c.beginPath();
    if (shape === 'square') c.rect(x - size * 0.85, y - size * 0.85, size * 1.7, size * 1.7);
    else {
      c.moveTo(x, y - size * 1.25);
      c.lineTo(x + size * 1.25, y);
      c.lineTo(x, y + size * 1.25);
      c.lineTo(x - size * 1.25, y);
      c.closePath();
    }
    c.fill();
    c.stroke();
    c.fillStyle = css.rim;
    c.font = `700 ${Math.round(size * 1.3)}px system-ui, sans-serif`;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.fillText(letter, x, y + size * 0.08);
  }

  /** Nodes of coarser levels: hollow squares, larger for higher levels. */
  drawAbove(tick, scale) {
    const { context: c, colors: { css }, history, scene: { width } } = this;
    let drawn = 0;
    c.strokeStyle = css.above;
    for (let t = tick; t > Math.max(0, tick - ABOVE_TICKS) && drawn < MOST_ABOVE && history.has(t); t--) {
      const above = history.list(t, this.index, 'above');
      if (!above?.length) continue;
      c.globalAlpha = 1 - ((tick - t) / ABOVE_TICKS) * 0.8;
      c.lineWidth = 1.25 / scale;
      c.beginPath();
      for (let i = 0; i + 1 < above.length && drawn < MOST_ABOVE; i += 2, drawn++) {
        const half = Math.max(2 / scale, Math.min(6, 0.5 * 2 ** (Math.min(above[i], 6) * 0.6)));
        const x = (above[i + 1] % width) + 0.5, y = Math.floor(above[i + 1] / width) + 0.5;
        c.rect(x - half, y - half, 2 * half, 2 * half);
      }
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  drawCrowd(tick, view, left, top) {
    const { context: c, colors: { css }, history, scene } = this;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const crowd = history.crowdAt(tick);
    if (!crowd) return;
    const { scale } = view;
    const size = Math.max(3, scale * 0.7), shift = (scale - size) / 2;
    for (const [state, color] of [[3, css.noWay], [1, css.waiting], [0, css.walking]]) {
      c.fillStyle = color;
      for (let i = 0; i < crowd.at.length; i++) {
        if ((crowd.states ? crowd.states[i] : 1) !== state) continue;
        const cell = crowd.at[i];
        if (cell === 0xffffffff) continue;
        const cx = cell % scene.width;
        const x = left + cx * scale + shift, y = top + ((cell - cx) / scene.width) * scale + shift;
        if (x < -size || y < -size || x > view.width || y > view.height) continue;
        c.fillRect(x, y, size, size);
      }
    }
  }

  drawCharts(tick) {
    const { history, colors: { css } } = this;
    if (this.scene.crowd) {
      drawStrip(this.strip, css, history.first, tick, (t) => [history.crowd.columns.units[t - history.first], 0, 0], (t) => history.budgetAt(t), () => false);
      const until = Math.max(0, tick - history.first + 1);
      const shown = drawHistogram(this.histogram, css, history.crowd.columns.nanos.subarray(Math.max(0, until - 5000), until), css.text);
      if (shown && until > 0) this.histogramText.textContent = `Time per frame, measured: mean ${format.time(shown.mean)}, longest ${format.time(shown.longest)}`;
      return;
    }
    const columns = history.agents[this.index].columns, first = history.first;
    drawStrip(this.strip, css, first, tick, (t) => [columns.expansions[t - first], columns.traces[t - first], columns.updates[t - first]], (t) => history.budgetAt(t),
      (t) => history.events.get(t)?.some(([who]) => who === this.index) ?? false);
  }

  /** The figures and the word for what it does; returns that word. */
  writeFigures(tick) {
    const set = (key, text) => {
      if (this.values[key].textContent !== text) this.values[key].textContent = text;
    };
    if (this.scene.crowd) {
      const f = this.history.crowdFigures(tick);
      for (const key of ['walking', 'waiting', 'arrived', 'noWay']) set(key, format.count(f[key]));
      set('spent', `${format.count(f.units)} of ${format.count(f.budget)}`);
      set('memory', format.bytes(f.bytes));
      if (!this.history.crowdAt(tick)) return this.setState('where they were is no longer kept', false, false);
      return this.setState(f.walking + f.waiting === 0 && tick > 0 ? 'done' : tick === 0 ? 'ready' : 'under way', f.walking + f.waiting === 0 && tick > 0, false);
    }
    const f = this.history.figures(tick, this.index);
    set('first', f.first === null ? (tick > 0 ? 'none yet' : '–') : `tick ${format.count(f.first)}`);
    const against = f.optimal === null ? 'of –' : f.outcome === 'reached' && f.optimal > 0 ? `(${(f.cost / f.optimal).toFixed(2)}×)` : `of ${format.length(f.optimal)}`;
    set('length', `${format.length(f.cost)} ${against}`);
    set('moves', format.count(f.moves));
    set('backs', format.count(f.backs));
    set('spent', `${format.count(f.work[0])} of ${format.count(f.budget)}`);
    set('traced', format.count(f.work[1]));
    set('updates', format.count(f.work[2]));
    set('memory', format.bytes(f.bytes));
    return this.setState(stateOf(f), f.outcome === 'reached', f.outcome !== null && f.outcome !== 'reached', f.why);
  }

  setState(text, done, failed, why = null) {
    if (this.stateText.textContent !== text) this.stateText.textContent = text;
    this.stateText.classList.toggle('done', done);
    this.stateText.classList.toggle('failed', failed);
    this.stateText.title = why ?? '';
    return text;
  }

  /** What the picture shows, for those who do not see it. */
  describe(tick) {
    if (this.scene.crowd) {
      const f = this.history.crowdFigures(tick);
      return `Map ${this.scene.name}, frame ${tick}: ${f.walking} units walking, ${f.waiting} waiting, ${f.arrived} arrived, ${f.noWay} without a way.`;
    }
    const f = this.history.figures(tick, this.index);
    const shortest = f.optimal === null ? 'There is no path.' : `The shortest walk is ${f.optimal.toFixed(1)}.`;
    return `Map ${this.scene.name}, tick ${tick}: ${f.title} is at ${f.at.join(', ')}, ${stateOf(f)}, after ${format.plural(f.moves, 'move')}, `
      + `${f.backs} of them back, length ${f.cost.toFixed(1)}. ${shortest}`;
  }
}

/** What an agent does, in a word or two. */
export function stateOf(f) {
  if (f.outcome === 'reached') return `arrived in tick ${format.count(f.done)}`;
  if (f.outcome === 'unreachable') return 'no way to the goal';
  if (f.outcome === 'stopped') return f.why ? `stopped: ${f.why}` : 'stopped';
  if (f.step === null) return 'ready';
  if (f.step === 'move') return f.back ? 'stepping back' : 'walking';
  return f.first === null ? 'thinking' : 'waiting';
}
