// A session with the simulator: sends requests, applies their replies to the history, and keeps the
// list of messages that leads to this moment, so that a lost connection can be made good.

import { Connection, Refused, list } from './protocol.js';
import { History } from './history.js';

/** The most ticks one message may ask for. */
export const MOST_TICKS = 1000;

export class Session {
  /** `listen(kind, detail)` hears of everything that changes. */
  constructor(listen) {
    this.listen = listen;
    this.connection = null;
    this.catalog = null;
    this.request = null; // the scene as it would be opened now
    this.scene = null;
    this.history = null;
    this.over = false;
    this.log = []; // { message, before: tick before it }
  }

  get isOpen() {
    return this.connection?.isOpen ?? false;
  }

  async connect() {
    const connection = new Connection((reason) => {
      if (this.connection === connection) this.listen('closed', reason);
    });
    await connection.open();
    this.connection = connection;
    if (!this.catalog) await this.send({ catalog: {} });
  }

  /** Sends a request and applies the reply; refusals are thrown as `Refused`. */
  async send(request) {
    const reply = await this.connection.send(request);
    if (reply.kind === 'error') throw new Refused(reply);
    this.apply(request, reply);
    return reply;
  }

  apply(request, reply) {
    const kind = Object.keys(request)[0];
    if (reply.kind === 'catalog') this.catalog = reply;
    else if (reply.kind === 'scene') this.applyScene(kind, request[kind], reply);
    else if (reply.kind === 'ticks') this.applyTicks(reply);
    else if (reply.kind === 'edited') {
      // A copy: the drawing outlives the reply.
      const cells = list(reply.payload, reply.cells).slice();
      this.note(request);
      if (cells.length > 0) this.history.edits.push({ tick: this.history.last, cells, free: reply.free });
      this.history.mark(this.history.last, { optimal: reply.optimal });
      this.over = false;
      this.listen('edited', reply);
    } else if (reply.kind === 'goal') {
      this.note(request);
      this.request.goal = reply.goal;
      this.history.mark(this.history.last, { goal: reply.goal, optimal: reply.optimal });
      this.over = false;
      this.listen('goal', reply);
    } else if (reply.kind === 'budget') {
      this.note(request);
      this.request.budget = reply.budget;
      this.history.mark(this.history.last, { budget: reply.budget });
      this.listen('budget', reply);
    } else if (reply.kind === 'rewound') {
      this.forget(reply.tick);
      this.history.truncate(reply.tick);
      this.request.goal = this.request.goal && this.history.goalAt(reply.tick);
      this.over = false;
      this.listen('rewound', reply);
    }
  }

  applyScene(kind, given, reply) {
    const cells = reply.width * reply.height;
    const bits = list(reply.payload, reply.map);
    const free = new Uint8Array(cells);
    for (let cell = 0; cell < cells; cell++) free[cell] = (bits[cell >>> 5] >>> (cell & 31)) & 1;
    const terrain = list(reply.payload, reply.terrain);
    const crowd = reply.crowd && { ...reply.crowd, startCells: list(reply.payload, reply.crowd.starts).slice(), goalCells: list(reply.payload, reply.crowd.goals).slice() };
    this.scene = { ...reply, payload: undefined, free, hidden: list(reply.payload, reply.hidden)?.slice() ?? [], crowd,
      terrain: terrain && new Uint8Array(terrain.slice().buffer),
      startCell: reply.start ? reply.start[1] * reply.width + reply.start[0] : 0,
      // In these worlds an edit is on the agents' map at once; in the others they find out.
      editsAreKnown: !reply.fog && !String(reply.world).startsWith('partial') };
    if (kind === 'open') {
      this.log = [];
      this.opened = free;
      this.request = { ...given };
    } else {
      this.request = { ...this.request, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) };
    }
    // Once chosen by hand, they are what the scene says now.
    for (const name of ['start', 'goal']) if (this.request[name]) this.request[name] = reply[name];
    this.note({ [kind]: given });
    this.history = new History(this.scene);
    this.over = false;
    this.listen('scene', { opened: kind === 'open' });
  }

  applyTicks(reply) {
    const count = reply.frames.length;
    const before = this.history.last;
    this.history.append(reply);
    this.over = reply.over;
    if (count > 0) {
      const top = this.log.at(-1);
      if (top.message.tick) top.message.tick.count += count;
      else this.log.push({ message: { tick: { count } }, before });
    }
    this.listen('ticks', { before, frames: count, over: reply.over });
  }

  /** Puts a message on the list that leads here. */
  note(message) {
    this.log.push({ message: structuredClone(message), before: this.history?.last ?? 0 });
  }

  /** Takes off the list what came after `tick`, but never a beginning. */
  forget(tick) {
    for (;;) {
      const top = this.log.at(-1);
      if (!top || top.message.open || top.message.restart) return;
      if (top.message.tick) {
        const kept = Math.min(top.message.tick.count, tick - top.before);
        if (kept > 0) {
          top.message.tick.count = kept;
          return;
        }
      } else if (top.before <= tick) return;
      this.log.pop();
    }
  }

  /** All that was drawn by hand since the map was opened and before, as `edits` of a scene. */
  drawn() {
    const now = this.scene.free.slice();
    for (const { cells, free } of this.history.edits) for (const cell of cells) now[cell] = free ? 1 : 0;
    const state = new Map();
    const [blocked = [], freed = []] = this.request.edits ?? [];
    for (const cell of blocked) state.set(cell, 0);
    for (const cell of freed) state.set(cell, 1);
    for (let cell = 0; cell < now.length; cell++) if (now[cell] !== this.opened[cell]) state.set(cell, now[cell]);
    const cells = (free) => [...state].filter(([, value]) => value === free).map(([cell]) => cell);
    return state.size ? { edits: [cells(0), cells(1)] } : {};
  }

  get messages() {
    return this.log.map(({ message }) => message);
  }

  /**
   * Sends the messages of a replay one by one. `progress(share)` hears how far it is, and stops it
   * by returning true.
   */
  async replay(messages, progress) {
    const length = (message) => 1 + (message.tick?.count ?? 0);
    const whole = messages.reduce((sum, message) => sum + length(message), 0);
    let done = 0;
    for (const message of structuredClone(messages)) {
      if (!message.tick) {
        await this.send(message);
        done += 1;
        if (progress(done / whole)) return;
        continue;
      }
      let left = message.tick.count;
      while (left > 0) {
        // Parts, so that the page can show them on the way.
        const { frames } = await this.send({ tick: { count: Math.min(left, 100) } });
        if (frames.length === 0) break;
        left -= frames.length;
        done += frames.length;
        if (progress(done / whole)) return;
      }
      done += left + 1;
    }
  }

  /** After the connection was lost: a new one, and the same session in it. */
  async reconnect(progress) {
    const messages = structuredClone(this.messages);
    await this.connect();
    if (messages.length > 0) await this.replay(messages, progress);
  }
}
