// The frames of a session: figures of every tick in columns of numbers, and the lists of cells as
// they came, in the payloads of the replies. Both are bounded: when a session grows too long, the
// oldest lists are given up first (what they amounted to is kept as one state of all cells), and
// then the oldest figures.

import { CellState } from './cells.js';

/** How many numbers all kept lists may have together. */
const MOST_NUMBERS = 8_000_000;
/** How many ticks are kept with their figures. */
const MOST_FRAMES = 100_000;
/** Ticks whose figures are given up at a time, so that it is done rarely. */
const FRAMES_AT_A_TIME = 25_000;

const NONE = -1;
const LISTS = ['expanded', 'above', 'changed', 'plan', 'tree'];
const STEPS = ['move', 'wait', 'arrived', 'unreachable', 'over'];
/** Other events happen in nearly every tick. */
const NOTABLE = new Set(['found', 'restart']);
const OUTCOMES = [null, 'reached', 'unreachable', 'stopped'];

/** Growing columns of numbers, one entry per tick. */
class Columns {
  constructor(types) {
    this.types = types;
    this.capacity = 1024;
    this.columns = {};
    for (const [name, Type] of Object.entries(types)) this.columns[name] = new Type(this.capacity);
  }

  reserve(length) {
    if (length <= this.capacity) return;
    this.capacity = Math.max(length, this.capacity * 2);
    for (const [name, Type] of Object.entries(this.types)) {
      const larger = new Type(this.capacity);
      larger.set(this.columns[name]);
      this.columns[name] = larger;
    }
  }

  shift(count) {
    for (const column of Object.values(this.columns)) column.copyWithin(0, count);
  }
}

const AGENT = { at: Uint32Array, flags: Uint8Array, expansions: Uint32Array, traces: Uint32Array, updates: Uint32Array,
  cost: Float64Array, moves: Uint32Array, backs: Uint32Array, bytes: Float64Array, first: Int32Array, target: Int32Array, done: Int32Array };
for (const name of LISTS) {
  AGENT[`${name}From`] = Uint32Array;
  AGENT[`${name}Length`] = Int32Array;
}
const CROWD = { units: Uint32Array, expansions: Uint32Array, walking: Uint32Array, waiting: Uint32Array, arrived: Uint32Array, noWay: Uint32Array,
  bytes: Float64Array, nanos: Float64Array, atFrom: Uint32Array, statesFrom: Uint32Array, changedFrom: Uint32Array, changedLength: Int32Array };
const FRAME = { batch: Int32Array, budget: Uint32Array };

export class History {
  constructor(scene) {
    this.scene = scene;
    this.first = 1; // the oldest tick whose figures are kept
    this.count = 0;
    this.frames = new Columns(FRAME);
    this.agents = scene.contestants.map(() => new Columns(AGENT));
    this.crowd = scene.crowd ? new Columns(CROWD) : null;
    this.batches = new Map(); // reply number -> { payload, last tick in it }
    this.nextBatch = 0;
    this.numbers = 0;
    this.events = new Map(); // tick -> [[who, event], …]
    this.reasons = new Map(); // who -> why it stopped
    this.edits = [];
    this.marks = [{ tick: 0, goal: scene.goal, optimal: scene.optimal, budget: scene.budget }];
    /** All cells as of `base[who].tick`, when the lists up to there are no longer kept. */
    this.base = null;
    this.thinned = 0; // lists of ticks up to this one are not kept
  }

  /** The budget of the ticks to come. */
  get budget() {
    return this.marks.at(-1).budget;
  }

  /** The latest tick. */
  get last() {
    return this.first + this.count - 1;
  }

  get width() {
    return this.agents.length;
  }

  /** Puts the frames of one reply at the end. */
  append(reply) {
    if (reply.frames.length === 0) return;
    const batch = this.nextBatch++;
    for (const frame of reply.frames) {
      const row = this.count++;
      this.frames.reserve(this.count);
      this.frames.columns.batch[row] = batch;
      this.frames.columns.budget[row] = this.budget;
      if (frame.crowd) this.appendCrowd(row, frame);
      else frame.agents.forEach((agent, who) => this.appendAgent(row, who, agent));
    }
    this.batches.set(batch, { payload: reply.payload, last: this.last });
    this.numbers += reply.payload.length;
    this.bound();
  }

  appendAgent(row, who, agent) {
    const table = this.agents[who];
    table.reserve(row + 1);
    const c = table.columns;
    c.at[row] = agent.at;
    const outcome = Math.max(0, OUTCOMES.indexOf(agent.outcome ?? null));
    c.flags[row] = Math.max(0, STEPS.indexOf(agent.step)) | (agent.back ? 8 : 0) | (outcome << 4);
    [c.expansions[row], c.traces[row], c.updates[row]] = agent.work;
    c.cost[row] = agent.cost;
    c.moves[row] = agent.moves;
    c.backs[row] = agent.backs;
    c.bytes[row] = agent.bytes;
    c.first[row] = agent.first ?? NONE;
    c.target[row] = agent.target ?? NONE;
    const before = row > 0 ? c.done[row - 1] : NONE;
    c.done[row] = outcome === 0 ? NONE : before === NONE ? this.first + row : before;
    for (const name of LISTS) {
      c[`${name}From`][row] = agent[name]?.[0] ?? 0;
      c[`${name}Length`][row] = agent[name]?.[1] ?? NONE;
    }
    for (const event of agent.events ?? []) {
      if (!NOTABLE.has(event)) continue;
      const tick = this.first + row;
      if (!this.events.has(tick)) this.events.set(tick, []);
      this.events.get(tick).push([who, event]);
    }
    if (agent.why) this.reasons.set(who, agent.why);
  }

  appendCrowd(row, frame) {
    this.crowd.reserve(row + 1);
    const c = this.crowd.columns, crowd = frame.crowd;
    for (const name of ['units', 'expansions', 'walking', 'waiting', 'arrived', 'bytes']) c[name][row] = crowd[name];
    c.noWay[row] = crowd.no_way;
    c.nanos[row] = crowd.measured.nanos;
    c.atFrom[row] = crowd.at[0];
    c.statesFrom[row] = crowd.states[0];
    const changed = crowd.changed ?? frame.changed;
    c.changedFrom[row] = changed?.[0] ?? 0;
    c.changedLength[row] = changed?.[1] ?? NONE;
  }

  /** Keeps the memory bounded. */
  bound() {
    while (this.numbers > MOST_NUMBERS && this.batches.size > 1) this.dropOldestBatch();
    if (this.count <= MOST_FRAMES) return;
    while (this.thinned < this.first + FRAMES_AT_A_TIME - 1 && this.batches.size > 1) this.dropOldestBatch();
    for (const table of [this.frames, ...this.agents, this.crowd]) table?.shift(FRAMES_AT_A_TIME);
    for (let tick = this.first; tick < this.first + FRAMES_AT_A_TIME; tick++) this.events.delete(tick);
    this.first += FRAMES_AT_A_TIME;
    this.count -= FRAMES_AT_A_TIME;
  }

  dropOldestBatch() {
    const [id, { payload, last }] = this.batches.entries().next().value;
    this.base ??= this.agents.map((_, who) => new CellState(this.scene, this, who));
    for (const state of this.base) {
      state.advance(last);
      // These point into the payload, which is about to go.
      state.plan = state.plan?.slice() ?? null;
      state.tree = state.tree?.slice() ?? null;
    }
    this.batches.delete(id);
    this.numbers -= payload.length;
    this.thinned = last;
  }

  /** Forgets what came after `tick`. */
  truncate(tick) {
    this.count = Math.max(0, tick - this.first + 1);
    for (const [id, batch] of this.batches) {
      if (this.count > 0 && id <= this.frames.columns.batch[this.count - 1]) continue;
      this.batches.delete(id);
      this.numbers -= batch.payload.length;
    }
    for (const key of [...this.events.keys()]) if (key > tick) this.events.delete(key);
    this.edits = this.edits.filter((edit) => edit.tick <= tick);
    this.marks = this.marks.filter((mark) => mark.tick <= tick);
    if (this.thinned > tick) {
      // The moment lies before the kept lists: begin again with what is known of it, the positions.
      this.base = null;
      this.thinned = tick;
    }
    this.reasons.clear();
  }

  get(tick, who, name) {
    return this.agents[who].columns[name][tick - this.first];
  }

  has(tick) {
    return tick >= this.first && tick <= this.last;
  }

  isBack(tick, who) {
    return (this.get(tick, who, 'flags') & 8) !== 0;
  }

  /** A list of a frame, or null if there is none or it is no longer kept. */
  list(tick, who, name) {
    const row = tick - this.first;
    const batch = this.batches.get(this.frames.columns.batch[row]);
    if (!batch) return null;
    const c = this.agents[who].columns;
    const length = c[`${name}Length`][row];
    if (length === NONE) return null;
    const from = c[`${name}From`][row];
    return batch.payload.subarray(from, from + length);
  }

  /** Everything that the figures of a contestant show, at a tick. */
  figures(tick, who) {
    const contestant = this.scene.contestants[who];
    const mark = this.markAt(tick);
    const figures = { name: contestant.name, title: contestant.title, optimal: mark.optimal, budget: this.budgetAt(tick) };
    if (!this.has(tick)) {
      const { start } = this.scene;
      return { ...figures, at: start, step: null, back: false, outcome: null, work: [0, 0, 0], cost: 0, moves: 0, backs: 0,
        bytes: contestant.bytes, first: null, target: null, done: null, why: null };
    }
    const flags = this.get(tick, who, 'flags');
    const maybe = (name) => {
      const value = this.get(tick, who, name);
      return value === NONE ? null : value;
    };
    const at = this.get(tick, who, 'at');
    const outcome = OUTCOMES[flags >> 4];
    return { ...figures, at: [at % this.scene.width, Math.floor(at / this.scene.width)], step: STEPS[flags & 7], back: (flags & 8) !== 0, outcome,
      work: [this.get(tick, who, 'expansions'), this.get(tick, who, 'traces'), this.get(tick, who, 'updates')],
      cost: this.get(tick, who, 'cost'), moves: this.get(tick, who, 'moves'), backs: this.get(tick, who, 'backs'), bytes: this.get(tick, who, 'bytes'),
      first: maybe('first'), target: maybe('target'), done: maybe('done'), why: outcome === 'stopped' ? this.reasons.get(who) ?? null : null };
  }

  /** Everything that the figures of a crowd show, at a tick. */
  crowdFigures(tick) {
    const row = tick - this.first;
    const agents = this.scene.crowd.agents;
    if (!this.has(tick)) return { agents, walking: 0, waiting: agents, arrived: 0, noWay: 0, units: 0, expansions: 0, bytes: 0, nanos: 0, budget: this.scene.budget };
    const figures = { agents, budget: this.budgetAt(tick) };
    for (const name of ['walking', 'waiting', 'arrived', 'noWay', 'units', 'expansions', 'bytes', 'nanos']) figures[name] = this.crowd.columns[name][row];
    return figures;
  }

  /** Where all agents of a crowd are and what they do, or null if that is no longer kept. */
  crowdAt(tick) {
    const { crowd } = this.scene;
    if (!this.has(tick)) return { at: crowd.startCells, states: null };
    const row = tick - this.first;
    const batch = this.batches.get(this.frames.columns.batch[row]);
    if (!batch) return null;
    const c = this.crowd.columns;
    const part = (from) => batch.payload.subarray(from, from + crowd.agents);
    return { at: part(c.atFrom[row]), states: part(c.statesFrom[row]) };
  }

  crowdChanged(tick) {
    const row = tick - this.first;
    const batch = this.batches.get(this.frames.columns.batch[row]);
    const length = this.crowd.columns.changedLength[row];
    if (!batch || length === NONE) return null;
    const from = this.crowd.columns.changedFrom[row];
    return batch.payload.subarray(from, from + length);
  }

  budgetAt(tick) {
    return this.has(tick) ? this.frames.columns.budget[tick - this.first] : this.scene.budget;
  }

  markAt(tick) {
    let found = this.marks[0];
    for (const mark of this.marks) if (mark.tick <= tick) found = mark;
    return found;
  }

  goalAt(tick) {
    return this.markAt(tick).goal;
  }

  /** The goal, the shortest length or the budget has changed. */
  mark(tick, change) {
    this.marks.push({ ...this.marks.at(-1), ...change, tick });
  }
}
