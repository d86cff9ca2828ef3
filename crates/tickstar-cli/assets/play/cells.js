// What is known of every cell at one moment, for one contestant: derived from the scene and from
// the frames up to that moment, so that any moment can be rebuilt.

/** Directions of a step, in the order of the bits in `edges`; the other four are the same edges from the other end. */
const DIRECTIONS = [[1, 0], [1, 1], [0, 1], [-1, 1]];

export class CellState {
  /** The moment before the first tick. `who` is the contestant's index. */
  constructor(scene, history, who) {
    this.scene = scene;
    this.history = history;
    this.who = who;
    const cells = scene.width * scene.height;
    this.truth = new Uint8Array(cells); // 1: free
    this.belief = new Uint8Array(cells); // the same on the agent's map
    this.seen = scene.fog ? new Uint8Array(cells) : null;
    this.stamp = new Int32Array(cells); // the last tick in which the cell was expanded; 0: never
    this.edges = new Uint8Array(cells); // steps taken: bits 0 to 3 forward, 4 to 7 back
    this.reset();
  }

  reset() {
    const { scene } = this;
    this.tick = 0;
    this.editsDone = 0;
    this.at = scene.startCell;
    this.plan = null;
    this.tree = null;
    this.truth.set(scene.free);
    this.belief.set(scene.free);
    for (const cell of scene.hidden) {
      this.truth[cell] = 0;
      this.belief[cell] = 1;
    }
    this.stamp.fill(0);
    this.edges.fill(0);
    if (this.seen) {
      this.seen.fill(0);
      this.belief.fill(1);
      this.look(this.at);
      this.knowGoal();
    }
    this.applyEdits(0);
  }

  copyFrom(other) {
    for (const name of ['truth', 'belief', 'stamp', 'edges']) this[name].set(other[name]);
    this.seen?.set(other.seen);
    for (const name of ['tick', 'editsDone', 'at', 'plan', 'tree']) this[name] = other[name];
  }

  /** The goal is known from the beginning, wherever it goes. */
  knowGoal() {
    if (!this.seen) return;
    const goal = this.history.goalAt(this.tick);
    const cell = goal[1] * this.scene.width + goal[0];
    this.seen[cell] = 1;
    this.belief[cell] = this.truth[cell];
  }

  /** In fog, the agent sees the cells next to it. */
  look(at) {
    const { width, height } = this.scene;
    const x = at % width, y = (at - x) / width;
    for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
      for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) {
        const cell = v * width + u;
        this.seen[cell] = 1;
        this.belief[cell] = this.truth[cell];
      }
    }
  }

  /** The edge between two cells next to each other: its first cell and its bit. */
  edge(from, to, back) {
    const { width } = this.scene;
    let dx = (to % width) - (from % width), dy = Math.floor(to / width) - Math.floor(from / width);
    let cell = from;
    if (dy < 0 || (dy === 0 && dx < 0)) {
      dx = -dx;
      dy = -dy;
      cell = to;
    }
    const direction = DIRECTIONS.findIndex(([x, y]) => x === dx && y === dy);
    return direction < 0 ? null : { cell, bit: 1 << (direction + (back ? 4 : 0)) };
  }

  /** One tick further. Frames whose lists are no longer kept change the position alone. */
  applyFrame(tick) {
    const { history, who } = this;
    this.tick = tick;
    const changed = history.crowd ? history.crowdChanged(tick) : history.list(tick, who, 'changed');
    if (changed) {
      for (let i = 0; i < changed.length; i++) {
        const cell = changed[i] >>> 1;
        this.truth[cell] = this.belief[cell] = changed[i] & 1;
        if (this.seen) this.seen[cell] = 1;
      }
    }
    if (history.crowd) return;
    const expanded = history.list(tick, who, 'expanded');
    if (expanded) for (let i = 0; i < expanded.length; i++) this.stamp[expanded[i]] = tick;
    this.plan = history.list(tick, who, 'plan') ?? this.plan;
    this.tree = history.list(tick, who, 'tree') ?? this.tree;
    const at = history.get(tick, who, 'at');
    if (at !== this.at) {
      const edge = this.edge(this.at, at, history.isBack(tick, who));
      if (edge) this.edges[edge.cell] |= edge.bit;
      this.at = at;
      if (this.seen) this.look(at);
    }
  }

  /** Drawings of the user up to and including those made at `tick`. */
  applyEdits(tick) {
    const { edits } = this.history;
    const first = this.editsDone;
    while (this.editsDone < edits.length && edits[this.editsDone].tick <= tick) {
      const { cells, free } = edits[this.editsDone++];
      for (const cell of cells) {
        this.truth[cell] = free ? 1 : 0;
        if (this.scene.editsAreKnown) this.belief[cell] = this.truth[cell];
      }
    }
    return first;
  }

  /** To a later moment. Returns the index of the first edit that was applied on the way. */
  advance(tick) {
    const first = this.editsDone;
    for (let next = this.tick + 1; next <= tick; next++) {
      this.applyEdits(next - 1);
      this.applyFrame(next);
    }
    this.applyEdits(tick);
    this.knowGoal();
    return first;
  }

  /** Calls `line(x1, y1, x2, y2, back)` for every edge walked so far. */
  forEachEdge(line) {
    const { width } = this.scene;
    for (let cell = 0; cell < this.edges.length; cell++) {
      const bits = this.edges[cell];
      if (bits === 0) continue;
      const x = cell % width, y = (cell - x) / width;
      for (let bit = 0; bit < 8; bit++) {
        if (!(bits & (1 << bit))) continue;
        const [dx, dy] = DIRECTIONS[bit & 3];
        line(x, y, x + dx, y + dy, bit > 3);
      }
    }
  }
}
