// The guided tour: five short notes, each beside what it speaks of.

import { recall, remember } from './storage.js';

const STEPS = [
  ['.pane', 'Searches that think in ticks', 'Each map shows one algorithm on the same problem, in step. The colors show when a cell was searched: the newest stand out, older ones fade. The line is the walk so far; dashes are steps back.'],
  ['.pane .charts', 'A budget for every tick', 'A game has a few microseconds per unit and frame. Each bar is one tick: how much of its budget the algorithm spent. Above it: when it first moved, how long its walk is against the shortest one, its memory.'],
  ['#transport', 'Time is yours', 'Run, pause, step, change the speed, or drag through everything that has happened. Continue from any moment.'],
  ['#tools', 'Get in the way', 'Draw walls and erase them while the agents walk. Drag the goal (G) and they follow; drag the start (S) and they begin again.'],
  ['#settings', 'Try all of them', 'Up to three algorithms side by side, with all their settings, other maps, and worlds that are unknown or that change. Or a whole crowd on one budget.'],
];

export class Tour {
  constructor(box, { before, ended }) {
    this.box = box;
    this.before = before; // makes a step's anchor visible
    this.ended = ended;
    this.step = -1;
    this.title = box.querySelector('h2');
    this.text = box.querySelector('p.tour-text');
    this.counter = box.querySelector('.tour-count');
    this.next = box.querySelector('.tour-next');
    this.previous = box.querySelector('.tour-back');
    this.next.addEventListener('click', () => this.go(this.step + 1));
    this.previous.addEventListener('click', () => this.go(this.step - 1));
    box.querySelector('.tour-skip').addEventListener('click', () => this.end());
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.end();
      else if (event.key === 'ArrowRight') this.go(this.step + 1);
      else if (event.key === 'ArrowLeft') this.go(this.step - 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    addEventListener('resize', () => this.place());
  }

  static get seen() {
    return recall('tour') === 'seen';
  }

  static decline() {
    remember('tour', 'seen');
  }

  get isOpen() {
    return this.step >= 0;
  }

  start() {
    this.cameFrom = document.activeElement;
    this.go(0);
  }

  go(step) {
    if (step < 0) return;
    if (step >= STEPS.length) return this.end();
    this.step = step;
    const [anchor, title, text] = STEPS[step];
    this.before(step, anchor);
    this.title.textContent = title;
    this.text.textContent = text;
    this.counter.textContent = `${step + 1} of ${STEPS.length}`;
    this.previous.hidden = step === 0;
    this.next.textContent = step === STEPS.length - 1 ? 'Done' : 'Next';
    this.box.hidden = false;
    this.place();
    this.next.focus({ preventScroll: true });
  }

  end() {
    if (!this.isOpen) return;
    this.clear();
    this.step = -1;
    this.box.hidden = true;
    remember('tour', 'seen');
    this.ended();
    this.cameFrom?.focus?.();
  }

  clear() {
    for (const lit of document.querySelectorAll('.tour-lit')) lit.classList.remove('tour-lit');
  }

  /** Beside its anchor where there is room, else in the middle of it. */
  place() {
    if (!this.isOpen) return;
    this.clear();
    const anchor = document.querySelector(STEPS[this.step][0]);
    if (!anchor) return;
    anchor.classList.add('tour-lit');
    const gap = 12, box = this.box.getBoundingClientRect(), at = anchor.getBoundingClientRect();
    let x = at.left + at.width / 2 - box.width / 2, y;
    if (at.top - gap - box.height > 8) y = at.top - gap - box.height;
    else if (at.bottom + gap + box.height < innerHeight - 8) y = at.bottom + gap;
    else {
      y = innerWidth < 768 ? innerHeight - box.height - 16 : Math.max(at.top + 24, innerHeight / 2 - box.height / 2);
      if (at.left > box.width + 2 * gap) x = at.left - gap - box.width;
      else if (innerWidth - at.right > box.width + 2 * gap) x = at.right + gap;
    }
    this.box.style.left = `${Math.max(8, Math.min(innerWidth - box.width - 8, x))}px`;
    this.box.style.top = `${Math.max(8, Math.min(innerHeight - box.height - 8, y))}px`;
  }
}
