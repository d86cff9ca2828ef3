// The picture of all cells of one contestant, one pixel per cell, kept up to date by painting only
// what has changed. An expanded cell changes its color when its age passes one of a few limits, so
// a tick repaints the cells of a few earlier ticks and nothing else.

import { CellState } from './cells.js';
import { AGES } from './palette.js';

/** For ages up to the last limit: which color. */
const BUCKET = new Uint8Array(AGES.at(-1) + 1);
for (let age = 0; age < BUCKET.length; age++) BUCKET[age] = AGES.filter((limit) => age >= limit).length;
const OLDEST = AGES.length;

export class MapLayer {
  constructor(scene, history, who, colors) {
    this.scene = scene;
    this.history = history;
    this.state = new CellState(scene, history, who);
    this.who = who;
    this.canvas = document.createElement('canvas');
    this.canvas.width = scene.width;
    this.canvas.height = scene.height;
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.image = this.context.createImageData(scene.width, scene.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.showSearch = true;
    this.colors = colors;
    this.walk = null;
    this.paintAll();
  }

  setColors(colors) {
    this.colors = colors;
    this.paintAll();
  }

  setShowSearch(show) {
    this.showSearch = show;
    this.paintAll();
  }

  /** Shows the moment after `tick`. */
  show(tick) {
    const { state, history } = this;
    if (tick === state.tick && state.editsDone === history.edits.length) return;
    const before = state.tick;
    const far = tick - before > 400 && !this.scene.crowd;
    const base = history.base?.[this.who];
    // Across the border of what is kept in full there is no way on foot.
    const across = base && before < base.tick && tick >= base.tick;
    if (tick < before || across || state.editsDone > history.edits.length) {
      this.rebuild(tick);
      return;
    }
    const firstEdit = state.advance(tick);
    if (far) {
      this.walk = null;
      this.paintAll();
      return;
    }
    this.paintChanges(before, tick, firstEdit);
  }

  /** From the nearest state that is known: the beginning, or what is kept of thinned ticks. */
  rebuild(tick) {
    const { state, history } = this;
    const base = history.base?.[this.who];
    state.reset();
    if (base && base.tick <= tick) state.copyFrom(base);
    else if (history.first > 1) {
      // The first ticks are gone: the walk begins where the kept ones begin.
      state.tick = history.first - 1;
      if (!this.scene.crowd) state.at = history.get(history.first, this.who, 'at');
    }
    state.advance(tick);
    this.walk = null;
    this.paintAll();
  }

  paintAll() {
    for (let cell = 0; cell < this.pixels.length; cell++) this.pixels[cell] = this.color(cell);
    this.context.putImageData(this.image, 0, 0);
  }

  paintChanges(before, tick, firstEdit) {
    this.low = this.pixels.length;
    this.high = -1;
    const { history, who, state } = this;
    if (this.scene.crowd) {
      for (let t = before + 1; t <= tick; t++) {
        const changed = history.crowdChanged(t);
        if (changed) for (const value of changed) this.paint(value >>> 1);
      }
    } else {
      let from = before > 0 && history.has(before) ? history.get(before, who, 'at') : this.scene.startCell;
      for (let t = before + 1; t <= tick; t++) {
        const changed = history.list(t, who, 'changed');
        if (changed) for (let i = 0; i < changed.length; i++) this.paint(changed[i] >>> 1);
        this.paintList(history.list(t, who, 'expanded'));
        const at = history.get(t, who, 'at');
        if (at !== from) {
          if (this.walk) this.addStep(from, at, history.isBack(t, who));
          if (state.seen) this.paintAround(at);
          from = at;
        }
      }
      // What has become older than a limit on the way to `tick`.
      const oldest = Math.max(history.first, history.thinned + 1);
      for (const limit of AGES) {
        const last = Math.min(before, tick - limit);
        for (let t = Math.max(oldest, before - limit + 1); t <= last; t++) this.paintList(history.list(t, who, 'expanded'));
      }
    }
    for (let i = firstEdit; i < history.edits.length && i < state.editsDone; i++) this.paintList(history.edits[i].cells);
    const goal = history.goalAt(tick);
    this.paint(goal[1] * this.scene.width + goal[0]);
    this.flush();
  }

  paintAround(at) {
    const { width, height } = this.scene;
    const x = at % width, y = (at - x) / width;
    for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
      for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) this.paint(v * width + u);
    }
  }

  paint(cell) {
    this.pixels[cell] = this.color(cell);
    if (cell < this.low) this.low = cell;
    if (cell > this.high) this.high = cell;
  }

  paintList(cells) {
    if (cells) for (let i = 0; i < cells.length; i++) this.paint(cells[i]);
  }

  /** Hands the rows that have changed to the canvas. */
  flush() {
    if (this.high < this.low) return;
    const { width } = this.scene;
    const top = Math.floor(this.low / width), bottom = Math.floor(this.high / width);
    this.context.putImageData(this.image, 0, 0, 0, top, width, bottom - top + 1);
  }

  color(cell) {
    const { state, colors: { pixels }, scene } = this;
    const free = state.truth[cell];
    if (!state.belief[cell]) return free ? pixels.stale : pixels.wall;
    const stamp = state.stamp[cell];
    if (stamp !== 0 && this.showSearch) {
      const age = state.tick - stamp;
      const bucket = age < BUCKET.length ? BUCKET[age] : OLDEST;
      return free ? pixels.age[bucket] : pixels.ageInWall[bucket];
    }
    if (state.seen && !state.seen[cell]) return free ? pixels.unseen : pixels.unseenWall;
    if (!free) return pixels.hidden;
    return scene.terrain ? pixels.terrain[scene.terrain[cell] % pixels.terrain.length] : pixels.free;
  }

  /** The walk so far as two paths in cell coordinates, `on` and `back`, extended as it goes on. */
  walkPaths() {
    if (!this.walk) {
      this.walk = { on: new Path2D(), back: new Path2D(), known: new Uint8Array(this.state.edges.length), backs: 0 };
      this.state.forEachEdge((x1, y1, x2, y2, back) => this.addLine(x1, y1, x2, y2, back));
      this.walk.known.set(this.state.edges);
    }
    return this.walk;
  }

  addLine(x1, y1, x2, y2, back) {
    const path = back ? this.walk.back : this.walk.on;
    if (back) this.walk.backs++;
    path.moveTo(x1 + 0.5, y1 + 0.5);
    path.lineTo(x2 + 0.5, y2 + 0.5);
  }

  /** Adds a step unless it is drawn already: walks that go to and fro stay cheap to draw. */
  addStep(from, to, back) {
    const edge = this.state.edge(from, to, back);
    if (!edge || this.walk.known[edge.cell] & edge.bit) return;
    this.walk.known[edge.cell] |= edge.bit;
    const { width } = this.scene;
    this.addLine(from % width, Math.floor(from / width), to % width, Math.floor(to / width), back);
  }
}
