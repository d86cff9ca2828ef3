// Time: which moment is shown, and how fast the session runs. The page asks for ticks, never with
// more than two messages unanswered, so a slow machine slows the session and nothing piles up.

import { MOST_TICKS } from './session.js';

const MOST_UNANSWERED = 2;

export class Player {
  constructor(session, changed, failed) {
    this.session = session;
    this.changed = changed;
    this.failed = failed;
    this.running = false;
    this.toEnd = false;
    this.speed = 30;
    this.shown = 0;
    this.unanswered = 0;
    this.due = 0; // ticks that should have been asked for by now
    this.burst = 8; // ticks per message when running to the end, found by trial
    this.stopAt = null;
  }

  get live() {
    return this.session.history?.last ?? 0;
  }

  get atLive() {
    return this.shown === this.live;
  }

  /** A new scene, or a moment that was gone back to. */
  reset() {
    this.shown = this.live;
    this.due = 0;
    this.burst = 8;
  }

  /** Shows an earlier or later moment that is kept. */
  show(tick) {
    const { history } = this.session;
    if (!history) return;
    const earliest = history.first > 1 ? history.first : 0;
    this.shown = Math.max(earliest, Math.min(this.live, Math.round(tick)));
    this.changed();
  }

  /** Before anything is done at an earlier moment: what came later is forgotten.
   *  What was drawn and chosen at that moment stays. */
  async goLive() {
    if (this.atLive) return;
    await this.session.send({ rewind: { tick: this.shown } });
  }

  async run(toEnd = false, stopAt = null) {
    if (!this.session.scene || !this.session.isOpen) return;
    this.running = true;
    this.toEnd = toEnd;
    this.stopAt = stopAt;
    this.due = 1;
    this.changed();
    try {
      await this.goLive();
    } catch (error) {
      this.pause();
      this.failed(error);
    }
  }

  pause() {
    this.running = this.toEnd = false;
    this.due = 0;
    this.stopAt = null;
    this.changed();
  }

  async step() {
    this.pause();
    try {
      await this.goLive();
      await this.ask(1);
    } catch (error) {
      this.failed(error);
    }
  }

  back() {
    this.pause();
    this.show(this.shown - 1);
  }

  async ask(count) {
    this.unanswered++;
    const sent = performance.now();
    try {
      const reply = await this.session.send({ tick: { count } });
      const took = performance.now() - sent;
      // To the end as fast as it goes, but so that every answer fits into about two frames.
      if (took < 16) this.burst = Math.min(MOST_TICKS, this.burst * 2);
      else if (took > 40) this.burst = Math.max(1, this.burst >> 1);
      if (reply.over && this.running) this.pause();
    } finally {
      this.unanswered--;
    }
  }

  /** Once per frame of the screen: asks for as many ticks as the chosen speed needs. */
  frame(milliseconds) {
    if (!this.running || !this.atLive || !this.session.isOpen) return;
    this.due += (Math.min(milliseconds, 250) / 1000) * this.speed;
    // What cannot be kept up with is let go.
    this.due = Math.min(this.due, Math.max(1, this.speed / 4));
    if (this.unanswered >= MOST_UNANSWERED) return;
    let count = this.toEnd ? this.burst : Math.floor(this.due);
    if (this.stopAt !== null) {
      count = Math.min(count, this.stopAt - this.live);
      if (count <= 0 && this.live >= this.stopAt) return this.pause();
    }
    count = Math.min(MOST_TICKS, count);
    if (count < 1) return;
    this.due = Math.max(0, this.due - count);
    this.ask(count).catch((error) => {
      this.pause();
      this.failed(error);
    });
  }
}
