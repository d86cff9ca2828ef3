// Puts the page together: one session, one clock, one view, up to three panes.

import { Session } from './session.js';
import { Player } from './player.js';
import { View } from './view.js';
import { Pane, stateOf } from './pane.js';
import { Settings } from './settings.js';
import { Tour } from './tour.js';
import { Disconnected, Refused, beginning } from './protocol.js';
import { AGES, palette } from './palette.js';
import { attach, cellsBetween } from './input.js';
import * as share from './share.js';
import * as format from './format.js';
import { recall, remember } from './storage.js';

const $ = (id) => document.getElementById(id);
const SPEEDS = [1, 1000];
const NARROW = matchMedia('(max-width: 999px)');
const CALM = matchMedia('(prefers-reduced-motion: reduce)');
const DARK = matchMedia('(prefers-color-scheme: dark)');
const CONTRAST = matchMedia('(prefers-contrast: more)');
/** With reduced motion, a scene opens paused after so many ticks: something to look at. */
const CALM_TICKS = 12;

const display = { search: true, plan: true, walk: true, levels: true };
let panes = [];
let colors;
let dirty = true;
let tool = 'pan';
let ghost = null; // a marker that is being dragged: { start } or { goal }
let crosshair = false;
const wanted = { goal: null, budget: null, free: null, cells: [], scene: false }; // what the user asks for faster than it is answered
const busy = { goal: false, budget: false, edit: false };
let lastError = null;
let preset = null; // the story that is shown, as long as it is the scene of the preset
let replaying = false;
let stopReplay = false;
let settled; // resolves `ready`
const ready = new Promise((resolve) => (settled = resolve));

const view = new View(() => (dirty = true));
const session = new Session(heard);
const player = new Player(session, () => (dirty = true), complain);

// What the session says

function heard(kind, detail) {
  dirty = true;
  if (kind === 'scene') showScene(detail.opened);
  else if (kind === 'ticks') {
    if (player.shown === detail.before) player.shown = player.live;
    if (detail.over && detail.frames > 0) announce(summary(), true);
  } else if (kind === 'rewound') {
    player.reset();
    told = player.live;
    settings.showBudget(session.history.budget);
    announce(`Back at tick ${detail.tick}; what came later is forgotten.`, true);
  } else if (kind === 'goal') repaintHidden();
  else if (kind === 'edited') {
    repaintHidden();
    for (const { contestant, reason } of detail.stopped ?? []) toast(`${session.scene.contestants[contestant]?.title ?? 'A contestant'}: ${reason}`);
  } else if (kind === 'budget') settings.showBudgetUnlessBusy(detail.budget);
  else if (kind === 'closed') closed(detail);
}

function showScene(opened) {
  lastError = null;
  const { scene, history, catalog } = session;
  const old = panes;
  const byName = new Map(catalog.algorithms.map((algorithm) => [algorithm.name, algorithm]));
  const indices = scene.crowd ? [0] : scene.contestants.map((_, i) => i);
  panes = indices.map((index) => {
    const contestant = scene.contestants[index];
    const algorithm = contestant && byName.get(contestant.name.split(':')[0]);
    const paper = contestant && { about: algorithm?.about ?? '', paper: contestant.paper ?? algorithm?.paper ?? '' };
    return new Pane(index, { scene, history, colors, display, paper });
  });
  const holder = $('panes');
  holder.dataset.count = panes.length;
  holder.replaceChildren(...panes.map((pane) => pane.root));
  for (const pane of old) sizes.unobserve(pane.view);
  for (const pane of panes) {
    attach(pane.canvas, host);
    pane.canvas.dataset.tool = tool;
    sizes.observe(pane.view);
  }
  player.reset();
  told = 0;
  measure();
  if (opened || old.length === 0 || view.cells.width !== scene.width || view.cells.height !== scene.height) view.setMap(scene.width, scene.height);
  settings.update(session.request, scene);
  showLegend();
  $('scrubber').value = 0;
  const story = preset && catalog.presets.find(({ key }) => key === preset);
  $('preset').value = story ? preset : '';
  $('story').hidden = !story;
  if (story) {
    $('story-title').textContent = story.title;
    $('story-text').textContent = story.about;
    $('story').title = story.about;
    $('story').classList.remove('whole');
  }
  document.title = `${story?.title ?? scene.name} · tickstar play`;
  announce(`${story ? `${story.title}. ` : ''}Map ${scene.name}, ${scene.width} by ${scene.height} cells.`, true);
}

/** What is drawn before the first tick changes where the unknown walls are: the scene is asked for again. */
function repaintHidden() {
  if (player.live === 0 && !replaying && String(session.scene.world).startsWith('partial')) wanted.scene = true;
}

// Messages to the user

function toast(text) {
  const box = document.createElement('div');
  box.className = 'toast';
  box.textContent = text;
  $('toasts').append(box);
  setTimeout(() => box.remove(), 7000);
}

function complain(error) {
  if (error instanceof Disconnected) return; // the cover says so
  lastError = error.message;
  if (error instanceof Refused) settings.refuse(error.field);
  else if (!(error instanceof share.Unusable)) console.error(error);
  toast(error.message);
}

let announced = 0;
function announce(text, now = false) {
  const time = performance.now();
  if (!now && time - announced < 2000) return;
  if ($('status').textContent === text) return;
  $('status').textContent = text;
  announced = time;
}

const EVENTS = { found: 'has found its path', restart: 'begins its search again' };
let told = 0; // the last tick whose events were told

/** What the searches report: said once, as it happens. */
function tellEvents(tick) {
  const from = Math.max(told, tick - 60);
  told = tick;
  for (let t = tick; t > from; t--) {
    const events = session.history.events.get(t);
    if (!events) continue;
    const [who, event] = events[0];
    announce(`${'ABC'[who]} ${panes[who].name} ${EVENTS[event] ?? event}, in tick ${format.count(t)}.`);
    return;
  }
}

function summary() {
  const { scene, history } = session;
  if (!scene) return '';
  const tick = player.shown;
  if (scene.crowd) {
    const f = history.crowdFigures(tick);
    return `${format.count(f.walking)} walking, ${format.count(f.waiting)} waiting, ${format.count(f.arrived)} arrived, ${format.count(f.noWay)} without a way.`;
  }
  // On the run, steps back come and go too quickly to be read out.
  const state = (pane) => {
    const now = stateOf(history.figures(tick, pane.index));
    return player.running && now === 'stepping back' ? 'walking' : now;
  };
  return panes.map((pane) => `${'ABC'[pane.index]} ${pane.name}: ${state(pane)}`).join(' · ');
}

function cover(text, { progress = null, stop = false, reconnect = false } = {}) {
  $('cover').hidden = text === null;
  $('cover').classList.toggle('light', progress !== null);
  if (text !== null) $('cover-text').textContent = text;
  $('cover-progress').hidden = progress === null;
  if (progress !== null) $('cover-progress').value = progress;
  $('cover-stop').hidden = !stop;
  $('reconnect').hidden = !reconnect;
}

function closed(reason) {
  player.pause();
  ghost = null;
  lastError = 'The connection to the program is closed.';
  cover(`${reason || 'The connection to tickstar has ended.'} What you see is kept: with a new connection, it goes on from here.`, { reconnect: true });
  $('reconnect').focus();
}

// Asking for things

/** Runs what the user asked for; a refusal becomes a message. */
async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    complain(error);
    return null;
  }
}

const open = (scene, { story = null, run = player.running } = {}) => attempt(async () => {
  const before = preset;
  preset = story;
  player.pause();
  try {
    await session.send({ open: scene });
  } catch (error) {
    preset = before;
    throw error;
  }
  if (run) player.run();
});

const restart = (changes, notice = null) => attempt(async () => {
  const running = player.running;
  player.pause();
  try {
    await session.send({ restart: { budget: session.history?.budget, ...changes } });
    if (notice) toast(notice);
  } finally {
    // What was refused has changed nothing, so it goes on too.
    if (running && session.isOpen) player.run();
  }
});

function openPreset(key) {
  const chosen = session.catalog.presets.find((candidate) => candidate.key === key);
  if (!chosen) return null;
  setSpeed(chosen.run ?? 30);
  return open(chosen.scene, { story: key, run: !CALM.matches }).then(() => {
    if (CALM.matches) return player.run(false, CALM_TICKS);
    return null;
  });
}

const settings = new Settings({
  open: (scene) => open(scene.map === session.request.map ? { ...scene, ...session.drawn() } : scene),
  restart: (changes, notice) => {
    preset = null;
    return restart(changes, notice);
  },
  // Other seeds choose another start and goal, so those of before must not stay.
  reseed: ({ seed }) => {
    const { start, goal, ...rest } = session.request;
    return open({ ...rest, seed, ...session.drawn() });
  },
  budget: (value) => {
    wanted.budget = value;
  },
  display: (name, on) => {
    display[name] = on;
    if (name === 'search') for (const pane of panes) pane.layer.setShowSearch(on);
    dirty = true;
  },
  file: () => $('file').click(),
});

/** Sends what was asked for since the last frame, one of a kind at a time. */
function sendWanted() {
  if (!session.isOpen || !session.scene || replaying) return;
  if (wanted.budget !== null && !busy.budget) {
    const value = wanted.budget;
    wanted.budget = null;
    busy.budget = true;
    attempt(() => player.goLive().then(() => session.send({ budget: value }))).finally(() => (busy.budget = false));
  }
  if (wanted.goal !== null && !busy.goal) {
    const goal = wanted.goal;
    wanted.goal = null;
    busy.goal = true;
    attempt(() => player.goLive().then(() => session.send({ goal }))).finally(() => (busy.goal = false));
  }
  if (wanted.cells.length > 0 && !busy.edit) {
    const { cells, free } = wanted;
    wanted.cells = [];
    busy.edit = true;
    attempt(() => player.goLive().then(() => session.send({ edit: { cells, free } }))).finally(() => (busy.edit = false));
  }
}

/** Once nothing is under way any more, the scene again: see `repaintHidden`. */
function sendScene() {
  if (!wanted.scene || drawing || ghost || busy.edit || busy.goal || wanted.cells.length > 0 || player.running) return;
  wanted.scene = false;
  if (player.live === 0) restart({});
}

const isFree = ([x, y]) => panes[0].layer.state.truth[y * session.scene.width + x] === 1;

// Pointers on the maps

const stroke = new Set();
let drawing = false;
const host = {
  view,
  tool: () => tool,
  markers: () => (session.scene.crowd ? [] : [{ kind: 'goal', cell: session.history.goalAt(player.shown) }, { kind: 'start', cell: session.scene.start }]),
  draw(from, to) {
    drawing = true;
    const free = tool === 'erase';
    const half = (Number($('brush').value) - 1) / 2;
    const { width, height } = session.scene;
    if (wanted.free !== free && wanted.cells.length > 0) wanted.cells = [];
    wanted.free = free;
    for (const { x, y } of cellsBetween(from, to)) {
      for (let v = Math.max(0, y - half); v <= Math.min(height - 1, y + half); v++) {
        for (let u = Math.max(0, x - half); u <= Math.min(width - 1, x + half); u++) {
          const cell = v * width + u;
          if (stroke.has(cell)) continue;
          stroke.add(cell);
          wanted.cells.push(cell);
        }
      }
    }
  },
  endDraw() {
    drawing = false;
    stroke.clear();
  },
  drag(kind, cell) {
    ghost = { [kind]: cell };
    dirty = true;
    // The goal moves at once, and the agents follow; a new start begins again, so it waits for the drop.
    if (kind === 'goal' && isFree(cell)) wanted.goal = cell;
  },
  drop(kind, cell) {
    const moved = ghost;
    ghost = null;
    dirty = true;
    if (!cell || !moved) return;
    if (!isFree(cell)) toast(`The ${kind} cannot stand in a wall.`);
    else if (kind === 'start') restart({ start: cell });
  },
};

function setTool(name) {
  tool = name;
  for (const button of document.querySelectorAll('[data-tool]')) {
    if (button.tagName === 'BUTTON') button.setAttribute('aria-pressed', String(button.dataset.tool === name));
    else button.dataset.tool = name;
  }
}

// Sizes, colors, legend

function measure() {
  let size = null;
  for (const pane of panes) size = pane.resize();
  if (size && size.width > 0) view.setPane(size.width, size.height);
  dirty = true;
}
const sizes = new ResizeObserver(measure);

function theme() {
  const chosen = recall('theme');
  return chosen === 'dark' || chosen === 'light' ? chosen : DARK.matches ? 'dark' : 'light';
}

function setColors() {
  const name = theme();
  document.documentElement.dataset.theme = name;
  colors = palette(name, CONTRAST.matches);
  for (const pane of panes) pane.setColors(colors);
  if (session.scene) showLegend();
  dirty = true;
}

function showLegend() {
  const { css, ramp } = colors;
  const { scene } = session;
  const item = (shape, color, text, hidden = false) => {
    if (hidden) return null;
    const entry = document.createElement('li');
    const swatch = document.createElement('span');
    swatch.className = `swatch ${shape}`;
    if (color) swatch.style.setProperty('--color', color);
    entry.append(swatch, text);
    return entry;
  };
  const crowd = Boolean(scene.crowd);
  const partial = String(scene.world).startsWith('partial');
  const searched = item('ramp', null, `searched: now, to ${AGES.at(-1)} ticks ago`, crowd);
  searched?.firstChild.style.setProperty('background', `linear-gradient(90deg, ${ramp.join(', ')})`);
  const entries = crowd
    ? [item('dot', css.walking, 'walking'), item('dot', css.waiting, 'waiting for a plan'), item('dot', css.noWay, 'no way'), item('box', css.wall, 'wall')]
    : [searched, item('line', css.walk, 'walk'), item('dashes', css.back, 'steps back'), item('line', css.plan, 'plan'), item('ring', css.target, 'most promising'),
      item('box', css.wall, 'wall'), item('box', css.unseen, 'not seen yet', !scene.fog), item('box', css.unseenWall, 'wall not seen yet', !scene.fog),
      item('box', css.hidden, 'wall it does not know of', !partial), item('hollow', css.above, 'coarser levels', !scene.contestants.some(({ name }) => /^(pra|tick|pr-lrta|d-lrta)/.test(name)))];
  const bars = crowd ? [] : [item('box', css.bars[0], 'expansions'), item('box', css.bars[1], 'tracing'), item('box', css.bars[2], 'updates'), item('line thin', css.limit, 'budget'), item('event', css.text, 'path found, or search begun again')];
  $('legend-list').replaceChildren(...[...entries, ...bars].filter(Boolean));
}

// The clock

const stamps = []; // times of the last frames
let before = performance.now();
let figuresAt = 0, labelsAt = 0;
let drawnTick = -1;

function frame(now) {
  requestAnimationFrame(frame);
  const passed = now - before;
  before = now;
  stamps.push(now);
  while (stamps.length > 2 && stamps[0] < now - 1000) stamps.shift();
  if (!session.scene) return;
  if (!replaying) player.frame(passed);
  sendWanted();
  sendScene();
  if (!dirty) return;
  dirty = false;
  const tick = player.shown;
  for (const pane of panes) pane.draw(tick, view, { ghost, crosshair: crosshair && document.activeElement === pane.canvas });
  // Figures change with every tick; ten times a second is as fast as they can be read.
  const fast = player.running && now - figuresAt < 90;
  if (!fast) {
    figuresAt = now;
    for (const pane of panes) pane.writeFigures(tick);
    showTransport(tick);
    if (tick > told && tick === player.live) tellEvents(tick);
    if (tick !== drawnTick && !player.running) announce(summary(), performance.now() - announced > 600);
    else if (player.running) announce(summary());
    drawnTick = tick;
  } else dirty = true;
  if (now - labelsAt > 1000 || !player.running) {
    labelsAt = now;
    for (const pane of panes) pane.canvas.setAttribute('aria-label', pane.describe(tick));
  }
}

function showTransport(tick) {
  const { history, over, isOpen } = session;
  const scrubber = $('scrubber');
  const word = session.scene.crowd ? 'frame' : 'tick';
  scrubber.min = history.first > 1 ? history.first : 0;
  scrubber.max = player.live;
  if (Number(scrubber.value) !== tick) scrubber.value = tick;
  const share = player.live > Number(scrubber.min) ? (tick - scrubber.min) / (player.live - scrubber.min) : 0;
  scrubber.style.setProperty('--done', `${(share * 100).toFixed(2)}%`);
  scrubber.setAttribute('aria-valuetext', `${word} ${tick} of ${player.live}`);
  const thin = history.thinned > 0
    ? ` Up to ${word} ${format.count(history.thinned)}, only positions and figures are kept.${history.first > 1 ? ` What was before ${word} ${format.count(history.first)} is not kept.` : ''}` : '';
  scrubber.title = `Any moment so far: ${format.count(Number(scrubber.min))} to ${format.count(player.live)}.${thin}`;
  $('tick').textContent = tick === player.live ? `${word} ${format.count(tick)}` : `${word} ${format.count(tick)} of ${format.count(player.live)}`;
  const run = $('run');
  run.setAttribute('aria-label', player.running ? 'Pause' : 'Run');
  $('run-icon').setAttribute('href', player.running ? '#i-pause' : '#i-play');
  const ended = over && player.atLive;
  run.disabled = !isOpen || (ended && !player.running);
  $('step').disabled = $('end').disabled = !isOpen || ended;
  $('back').disabled = tick <= Number(scrubber.min);
  $('again').disabled = !isOpen || (player.live === 0 && tick === 0);
  $('end').setAttribute('aria-pressed', String(player.toEnd));
}

function setSpeed(value) {
  player.speed = Math.max(SPEEDS[0], Math.min(SPEEDS[1], value));
  $('speed').value = format.toLog(player.speed, ...SPEEDS);
  showSpeed();
}

function showSpeed() {
  $('speed-text').textContent = `${format.speed(player.speed)} per second`;
  $('speed').setAttribute('aria-valuetext', `${format.speed(player.speed)} ticks per second`);
  $('speed').style.setProperty('--done', `${$('speed').value / 10}%`);
}

const toggleRun = () => (player.running ? player.pause() : player.run());
const toggleEnd = () => (player.toEnd ? player.pause() : player.run(true));

// Links, files, pictures

async function replayOf() {
  // Without the program, the page's own list will do.
  if (!session.isOpen) return share.until({ tickstar: session.catalog.version, messages: session.messages }, player.shown);
  const { replay } = await session.send({ save: {} });
  return player.atLive ? replay : share.until(replay, player.shown);
}

async function openReplay(replay) {
  player.pause();
  preset = null;
  replaying = true;
  stopReplay = false;
  cover('Opening the scene…', { progress: 0, stop: true });
  try {
    await session.replay(share.checked(replay).messages, (done) => {
      $('cover-progress').value = done;
      return stopReplay;
    });
    cover(null);
  } catch (error) {
    if (session.isOpen) cover(null);
    throw error;
  } finally {
    replaying = false;
  }
}

async function openFragment() {
  const text = /^#r=(.+)$/.exec(location.hash)?.[1];
  if (!text) return false;
  let replay;
  try {
    replay = await share.unpack(text);
  } catch {
    throw new share.Unusable('The link is damaged: the scene in it cannot be read.');
  }
  await openReplay(replay);
  return true;
}

const saveFile = () => attempt(async () => {
  const replay = await replayOf();
  share.download(`${share.fileName(session.scene.name, player.shown)}.json`, new Blob([JSON.stringify(replay)], { type: 'application/json' }));
  announce('Saved as a file.', true);
});

const saveLink = () => attempt(async () => {
  const text = await share.pack(await replayOf());
  const long = text.length > share.LONGEST_FRAGMENT;
  $('link-text').hidden = $('link-copy').hidden = long;
  $('link-file').hidden = !long;
  if (long) {
    $('link-note').textContent = `This scene needs ${format.count(text.length)} characters, too many for a link: what was drawn and done in it is in there. A file holds it.`;
  } else {
    history.replaceState(null, '', `#r=${text}`);
    $('link-text').value = location.href;
    let copied = false;
    try {
      await navigator.clipboard.writeText(location.href);
      copied = true;
    } catch {
      // Then it can be copied by hand.
    }
    $('link-note').textContent = `${copied ? 'Copied. ' : ''}It brings back exactly this moment, on any computer where tickstar play runs: what counts is the part from # on, behind the address that the program prints there.`;
  }
  if (!$('link-dialog').open) $('link-dialog').showModal();
  if (!long) $('link-text').select();
});

const savePicture = () => attempt(async () => {
  const { scene, history: kept } = session;
  const tick = player.shown;
  const word = scene.crowd ? 'frame' : 'tick';
  for (const pane of panes) {
    pane.draw(tick, view);
    pane.writeFigures(tick);
  }
  const story = preset && session.catalog.presets.find(({ key }) => key === preset);
  const blob = await share.picture({
    title: story?.title ?? `tickstar on ${scene.name}`,
    subtitle: `Map ${scene.name}, ${scene.width} × ${scene.height}; world ${scene.world}; budget ${format.count(kept.budgetAt(tick))} per ${word}; ${word} ${format.count(tick)}.`,
    panes: panes.map((pane) => ({ name: scene.crowd ? pane.name : `${'ABC'[pane.index]}  ${pane.name}`, canvas: pane.canvas, state: pane.stateText.textContent,
      figures: [...pane.root.querySelectorAll('.figure')].map((figure) => [figure.querySelector('dt').textContent, figure.querySelector('dd').textContent]) })),
    colors: colors.css,
    background: getComputedStyle(document.body).backgroundColor,
    ratio: panes[0].ratio,
  });
  share.download(`${share.fileName(scene.name, tick)}.png`, blob);
  announce('Saved as a picture.', true);
});

const openFile = (file) => attempt(async () => {
  if (!file) return;
  const limit = session.catalog.limits.message;
  if (file.size > limit) throw new share.Unusable(`${file.name} is too large: ${format.bytes(file.size)}; at most ${format.bytes(limit)} can be opened here.`);
  const text = await file.text();
  if (/\.json$/i.test(file.name)) {
    let replay;
    try {
      replay = JSON.parse(text);
    } catch {
      throw new share.Unusable(`${file.name} is not a saved scene: it is not JSON.`);
    }
    await openReplay(replay);
    return;
  }
  const { start, goal, edits, ...rest } = session.request;
  await open({ ...rest, map: { file: { name: file.name, text } } });
});

// The page itself

function showSettings(on) {
  document.body.classList.toggle('settings-open', on);
  $('toggle-settings').setAttribute('aria-expanded', String(on));
  // What is out of sight is out of reach of the Tab key too.
  $('settings').inert = !on;
}

function wire() {
  const click = (id, act) => $(id).addEventListener('click', act);
  click('run', toggleRun);
  click('step', () => player.step());
  click('back', () => player.back());
  click('end', toggleEnd);
  click('again', () => restart({}));
  $('scrubber').addEventListener('input', () => {
    if (player.running) player.pause();
    player.show(Number($('scrubber').value));
  });
  $('speed').addEventListener('input', () => {
    player.speed = format.fromLog(Number($('speed').value), ...SPEEDS);
    showSpeed();
  });
  for (const button of document.querySelectorAll('button[data-tool]')) button.addEventListener('click', () => setTool(button.dataset.tool));
  click('zoom-in', () => view.zoom(1.4));
  click('zoom-out', () => view.zoom(1 / 1.4));
  click('zoom-fit', () => view.fit());
  click('theme', () => {
    remember('theme', theme() === 'dark' ? 'light' : 'dark');
    setColors();
  });
  click('save-file', saveFile);
  click('save-link', saveLink);
  click('link-file', saveFile);
  click('link-copy', () => attempt(async () => {
    $('link-text').select();
    await navigator.clipboard.writeText($('link-text').value);
    $('link-note').textContent = 'Copied.';
  }));
  click('png', savePicture);
  click('open-file', () => $('file').click());
  click('help', () => $('help-dialog').showModal());
  click('toggle-settings', () => showSettings(!document.body.classList.contains('settings-open')));
  click('close-settings', () => {
    showSettings(false);
    $('toggle-settings').focus();
  });
  // On phones there is room for two lines; a tap shows all.
  click('story', () => $('story').classList.toggle('whole'));
  click('cover-stop', () => (stopReplay = true));
  click('reconnect', reconnect);
  for (const button of document.querySelectorAll('dialog .close')) button.addEventListener('click', () => button.closest('dialog').close());
  $('file').addEventListener('change', () => {
    openFile($('file').files[0]);
    $('file').value = '';
  });
  $('preset').addEventListener('change', () => openPreset($('preset').value));
  click('share-menu', () => {
    const on = $('share-actions').classList.toggle('open');
    $('share-menu').setAttribute('aria-expanded', String(on));
  });
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target?.closest('#share-menu')) {
      $('share-actions').classList.remove('open');
      $('share-menu').setAttribute('aria-expanded', 'false');
    }
    for (const details of document.querySelectorAll('details.paper[open]')) if (!details.contains(target)) details.open = false;
    // After a click with the mouse the space bar means run and pause again, not the same button.
    if (event.detail > 0) target?.closest('button.tool')?.blur();
    if (target instanceof HTMLDialogElement) target.close();
  });
  for (const media of [DARK, CONTRAST]) media.addEventListener('change', setColors);
  NARROW.addEventListener('change', () => showSettings(!NARROW.matches));
  addEventListener('hashchange', () => attempt(openFragment));
  document.addEventListener('keydown', pressed);
  document.addEventListener('focusin', (event) => {
    crosshair = event.target.classList?.contains('map') && event.target.matches(':focus-visible');
    dirty = true;
  });
  let depth = 0; // dragenter and dragleave come for every element on the way
  const files = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragenter', (event) => {
    if (files(event) && ++depth) $('drop').hidden = false;
  });
  addEventListener('dragleave', (event) => {
    if (files(event) && --depth <= 0) $('drop').hidden = true;
  });
  addEventListener('dragover', (event) => files(event) && event.preventDefault());
  addEventListener('drop', (event) => {
    if (!files(event)) return;
    event.preventDefault();
    depth = 0;
    $('drop').hidden = true;
    openFile(event.dataTransfer.files[0]);
  });
}

/** Keys; fields, menus and dialogs keep theirs. */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !session.scene) return;
  if (event.key === 'Escape') {
    for (const details of document.querySelectorAll('details.paper[open]')) details.open = false;
    if (NARROW.matches && document.body.classList.contains('settings-open')) showSettings(false);
    return;
  }
  const { target } = event;
  if (target.closest?.('input, select, textarea, dialog, .tour-box')) return;
  if ((event.key === ' ' || event.key === 'Enter') && target.closest?.('button, summary, a')) return;
  const step = event.shiftKey ? 160 : 48;
  const keys = { ' ': toggleRun, '.': () => player.step(), ',': () => player.back(), e: toggleEnd, Home: () => restart({}), End: () => player.show(player.live),
    1: () => setTool('pan'), 2: () => setTool('wall'), 3: () => setTool('erase'),
    ArrowLeft: () => view.pan(step, 0), ArrowRight: () => view.pan(-step, 0), ArrowUp: () => view.pan(0, step), ArrowDown: () => view.pan(0, -step),
    '+': () => view.zoom(1.25), '=': () => view.zoom(1.25), '-': () => view.zoom(0.8), 0: () => view.fit(), '?': () => $('help-dialog').showModal() };
  if (target.classList?.contains('map')) {
    // For those who draw without a pointer: at the middle of the view.
    const middle = [Math.floor(view.x), Math.floor(view.y)];
    const cell = middle[1] * session.scene.width + middle[0];
    const edit = (free) => {
      wanted.free = free;
      wanted.cells.push(cell);
    };
    Object.assign(keys, { w: () => edit(false), f: () => edit(true), g: () => (isFree(middle) ? (wanted.goal = middle) : toast('The goal cannot stand in a wall.')),
      s: () => (isFree(middle) ? restart({ start: middle }) : toast('The start cannot stand in a wall.')) });
  }
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

async function reconnect() {
  const shown = player.shown;
  cover('Connecting…', { progress: 0 });
  try {
    replaying = true;
    await session.reconnect((done) => {
      $('cover-progress').value = done;
      return false;
    });
    lastError = null;
    player.show(shown);
    cover(null);
  } catch {
    cover('tickstar does not answer. Is the program still running? Start it again with “tickstar play”, and open the address it prints. This scene can be saved here (Save), and opened there.', { reconnect: true });
  } finally {
    replaying = false;
  }
}

const tour = new Tour($('tour-box'), {
  before: (_, anchor) => {
    $('tour-offer').hidden = true;
    if (anchor === '#settings') showSettings(true);
    else if (NARROW.matches) showSettings(false);
  },
  ended: () => {
    if (NARROW.matches) showSettings(false);
  },
});
for (const id of ['tour', 'tour-yes']) $(id).addEventListener('click', () => tour.start());
$('tour-no').addEventListener('click', () => {
  Tour.decline();
  $('tour-offer').hidden = true;
});

async function begin() {
  setColors();
  wire();
  setSpeed(30);
  if (NARROW.matches) $('legend').open = false;
  showSettings(!NARROW.matches);
  requestAnimationFrame(frame);
  try {
    await session.connect();
  } catch (error) {
    if (error instanceof Refused) cover(error.message);
    else cover('tickstar does not answer. Open the address that “tickstar play” prints, with everything behind the question mark.');
    lastError = error.message;
    return;
  }
  const { catalog } = session;
  settings.setCatalog(catalog);
  $('version').textContent = `tickstar ${catalog.version}`;
  $('preset').replaceChildren(...[['', 'A scene of your own'], ...catalog.presets.map(({ key, title }) => [key, title])].map(([value, text]) => {
    const option = document.createElement('option');
    option.value = value;
    option.textContent = text;
    option.hidden = option.disabled = value === '';
    return option;
  }));
  let opened = false;
  try {
    opened = await openFragment();
    const given = opened ? {} : await beginning();
    if (given.replay) {
      await openReplay(given.replay);
      opened = true;
    } else if (given.open) {
      await session.send({ open: given.open });
      opened = true;
      if (CALM.matches) player.run(false, CALM_TICKS);
      else player.run();
    }
  } catch (error) {
    complain(error);
  }
  if (!opened) {
    const first = catalog.presets[0];
    if (first) await openPreset(first.key);
    else await open({ map: { builtin: catalog.maps[0].name } });
  }
  cover(null);
  if (!Tour.seen) $('tour-offer').hidden = false;
  settled();
}

window.tickstar = {
  ready,
  /** What is shown, for tests and for the curious. */
  state() {
    const { scene, history } = session;
    const tick = player.shown;
    const span = stamps.length > 1 ? stamps.at(-1) - stamps[0] : 0;
    return {
      tick, live: player.live, running: player.running, over: session.over,
      contestants: scene && !scene.crowd ? scene.contestants.map((_, i) => history.figures(tick, i)) : [],
      crowd: scene?.crowd ? history.crowdFigures(tick) : null,
      fps: span > 0 ? ((stamps.length - 1) * 1000) / span : 0,
      pending: session.connection?.unanswered ?? 0,
      historyFrames: history?.count ?? 0,
      error: lastError,
    };
  },
  /** Any request of the protocol; the page follows what it does. */
  send(request) {
    if (request.open) preset = null;
    return session.send(request).catch((error) => {
      if (error instanceof Refused) return { kind: 'error', message: error.message, field: error.field };
      throw error;
    });
  },
};

begin();
