// The panel with everything that can be chosen: map, world, budget, contestants or a crowd. It shows
// the scene of the session, and asks for changes; it changes nothing by itself.

import * as format from './format.js';

const DEFAULTS = { partial: 15, dynamic: 5 };
const WORLD_NAMES = { known: 'Known', unknown: 'Unknown', partial: 'Partly unknown', dynamic: 'Changing' };
const WORLD_REASONS = { unknown: 'not for unknown maps', partial: 'not for partly unknown maps', dynamic: 'not for changing maps', known: 'not for known maps' };
const NUMBER = /^-?\d+(\.\d+)?(\/\d+)?$/;

const $ = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  const { data, ...rest } = properties;
  Object.assign(made, rest);
  Object.assign(made.dataset, data ?? {});
  made.append(...children);
  return made;
}

/** `name:key=value:…` taken apart. */
export function parseContestant(text) {
  const [name, ...parts] = text.split(':');
  return { name, values: Object.fromEntries(parts.map((part) => part.split(/=(.*)/s).slice(0, 2))) };
}

/** Put together again, without what is at its default. */
export function writeContestant({ name, values }, algorithm) {
  const usual = Object.fromEntries((algorithm?.parameters ?? []).map((p) => [p.name, String(p.default)]));
  return [name, ...Object.entries(values).filter(([key, value]) => value !== '' && value !== usual[key]).map(([key, value]) => `${key}=${value}`)].join(':');
}

export class Settings {
  /** `ask`: { open(scene), restart(changes), budget(n), display(name, on), file() } */
  constructor(ask) {
    this.ask = ask;
    this.contestants = [];
  }

  setCatalog(catalog) {
    this.catalog = catalog;
    this.byName = new Map(catalog.algorithms.map((algorithm) => [algorithm.name, algorithm]));
    this.budgetRange = catalog.limits.budget;
    const maps = make('optgroup', { label: 'Built in' });
    for (const map of catalog.maps) maps.append(make('option', { value: `builtin:${map.name}`, textContent: `${map.name} · ${map.width} × ${map.height}`, title: map.about }));
    const kinds = make('optgroup', { label: 'Made from a seed' });
    for (const kind of catalog.kinds) kinds.append(make('option', { value: `generated:${kind}`, textContent: `${kind[0].toUpperCase()}${kind.slice(1)}…` }));
    this.fileOption = make('option', { value: 'file', hidden: true });
    $('map').replaceChildren(maps, kinds, this.fileOption);
    $('side').max = catalog.limits.side;
    $('world').replaceChildren(...catalog.worlds.map(({ name }) => {
      const base = name.split(':')[0];
      return make('option', { value: base, textContent: WORLD_NAMES[base] ?? name });
    }));
    $('agents').max = catalog.limits.agents;
    const own = make('optgroup', { label: 'A search of its own for each' });
    for (const { name, title, about } of catalog.algorithms) own.append(make('option', { value: name, textContent: title, title: about }));
    $('planner').replaceChildren(make('option', { value: 'crowd', textContent: 'One for all of them' }), own);
    this.listen();
  }

  listen() {
    const on = (id, type, act) => $(id).addEventListener(type, act);
    on('map', 'change', () => {
      const [type, name] = $('map').value.split(/:(.*)/s);
      if (type === 'builtin') this.openMap({ builtin: name });
      else if (type === 'generated') this.openMap({ generated: { kind: name, side: this.number('side', 128), seed: this.number('map-seed', 1) } });
    });
    for (const id of ['side', 'map-seed']) {
      on(id, 'change', () => {
        const { generated } = this.request.map;
        if (generated) this.openMap({ generated: { ...generated, side: this.number('side', generated.side), seed: this.number('map-seed', generated.seed) } });
      });
    }
    on('open-map', 'click', () => this.ask.file());
    on('world', 'change', () => this.changeWorld($('world').value, null));
    on('world-rate', 'change', () => this.changeWorld($('world').value, this.number('world-rate', 5)));
    on('seed', 'change', () => this.ask.reseed({ seed: this.number('seed', 1) }));
    on('seed-next', 'click', () => this.ask.reseed({ seed: (this.request.seed ?? 1) + 1 }));
    on('corners', 'change', () => this.ask.open({ ...this.request, corners: $('corners').checked }));
    on('budget', 'input', () => {
      const [low, high] = this.budgetRange;
      const value = format.fromLog(Number($('budget').value), low, high);
      $('budget-number').value = value;
      this.describeBudget();
      this.ask.budget(value);
    });
    on('budget-number', 'change', () => {
      const [low, high] = this.budgetRange;
      const value = Math.max(low, Math.min(high, this.number('budget-number', 100)));
      $('budget-number').value = value;
      $('budget').value = format.toLog(value, low, high);
      this.describeBudget();
      this.ask.budget(value);
    });
    on('add-contestant', 'click', () => {
      const used = new Set(this.contestants.map((card) => card.value.name));
      const world = this.worldBase();
      const next = ['tba', 'tick', 'astar', 'pra', 'rtaa', ...this.byName.keys()].find((name) => !used.has(name) && this.byName.get(name)?.worlds.includes(world));
      this.ask.restart({ contestants: [...this.texts(), next] });
    });
    on('mode-contestants', 'change', () => this.changeMode(false));
    on('mode-crowd', 'change', () => this.changeMode(true));
    for (const id of ['agents', 'planner', 'apart', 'one-goal']) on(id, 'change', () => this.ask.open({ ...this.request, crowd: this.crowd() }));
    for (const name of ['search', 'plan', 'walk', 'levels']) on(`show-${name}`, 'change', () => this.ask.display(name, $(`show-${name}`).checked));
  }

  number(id, otherwise) {
    const value = Math.round(Number($(id).value));
    return $(id).value === '' || !Number.isFinite(value) ? otherwise : value;
  }

  worldBase() {
    return String(this.request?.world ?? 'known').split(':')[0];
  }

  texts() {
    return this.contestants.map((card) => writeContestant(card.value, this.byName.get(card.value.name)));
  }

  /** A new map keeps everything but what belongs to the old one. */
  openMap(map) {
    const { start, goal, edits, ...rest } = this.request;
    this.ask.open({ ...rest, map });
  }

  crowd() {
    const planner = $('planner').value || 'crowd';
    const { agents, searches = agents } = this.catalog.limits;
    const most = planner === 'crowd' ? agents : searches;
    return { agents: Math.max(1, Math.min(most, this.number('agents', 1000))), planner, apart: $('apart').checked, one_goal: $('one-goal').checked };
  }

  changeMode(crowd) {
    const { start, goal, ...rest } = this.request;
    if (crowd) {
      this.before = { contestants: this.request.contestants, budget: this.request.budget, world: this.request.world };
      this.ask.open({ ...rest, contestants: [], crowd: this.crowd(), budget: 60_000, world: 'known' });
    } else {
      const { crowd: _, ...without } = rest;
      this.ask.open({ ...without, contestants: ['tba'], budget: 100, world: 'known', ...this.before });
    }
  }

  changeWorld(base, rate) {
    const world = DEFAULTS[base] ? `${base}:${rate ?? DEFAULTS[base]}` : base;
    const out = [];
    const contestants = this.contestants.map((card) => {
      const algorithm = this.byName.get(card.value.name);
      if (!algorithm || algorithm.worlds.includes(base)) return writeContestant(card.value, algorithm);
      out.push(algorithm.title);
      return 'tba';
    });
    this.ask.restart({ world, contestants }, out.length ? `${out.join(' and ')}: ${WORLD_REASONS[base]}. TBA* takes the place.` : null);
  }

  /** Shows a scene. */
  update(request, scene) {
    this.request = request;
    this.scene = scene;
    const { map } = request;
    const isCrowd = Boolean(scene.crowd);
    $('mode-crowd').checked = isCrowd;
    $('mode-contestants').checked = !isCrowd;
    $('contestant-settings').hidden = isCrowd;
    $('crowd-settings').hidden = !isCrowd;
    for (const id of ['world-settings', 'display', 'drag-hint']) $(id).hidden = isCrowd;
    $('seed-title').textContent = isCrowd ? 'Starts and goals' : 'Start and goal';
    this.fileOption.hidden = !map.file;
    if (map.file) this.fileOption.textContent = `${map.file.name} · ${scene.width} × ${scene.height}`;
    $('map').value = map.builtin ? `builtin:${map.builtin}` : map.generated ? `generated:${map.generated.kind}` : 'file';
    $('generated').hidden = !map.generated;
    if (map.generated) {
      $('side').value = map.generated.side;
      $('map-seed').value = map.generated.seed;
    }
    $('map-about').textContent = map.builtin ? this.catalog.maps.find(({ name }) => name === map.builtin)?.about ?? '' : '';
    const [base, rate] = String(scene.world).split(':');
    $('world').value = base;
    $('world-about').textContent = this.catalog.worlds.find(({ name }) => name.split(':')[0] === base)?.about ?? '';
    $('world-rate-row').hidden = !DEFAULTS[base];
    $('world-rate-label').textContent = base === 'partial' ? 'Unknown cells, in percent' : 'Changes every ten moves, in percent';
    $('world-rate').value = rate ?? DEFAULTS[base] ?? '';
    $('seed').value = scene.seed;
    $('corners').checked = scene.corners;
    const { limits } = this.catalog;
    this.budgetRange = isCrowd ? limits.frame_budget ?? limits.budget : limits.budget;
    $('budget-number').max = this.budgetRange[1];
    this.showBudget(scene.budget);
    if (isCrowd) {
      $('agents').value = scene.crowd.agents;
      $('planner').value = request.crowd?.planner ?? 'crowd';
      $('apart').checked = Boolean(request.crowd?.apart);
      $('one-goal').checked = Boolean(request.crowd?.one_goal);
    } else this.showContestants(scene.contestants.map(({ name }) => name));
  }

  showBudget(value) {
    $('budget-number').value = value;
    $('budget').value = format.toLog(value, ...this.budgetRange);
    this.describeBudget();
  }

  /** The answer to an earlier position of the slider must not move it back under the finger. */
  showBudgetUnlessBusy(value) {
    if (document.activeElement !== $('budget') && document.activeElement !== $('budget-number')) this.showBudget(value);
  }

  describeBudget() {
    $('budget').style.setProperty('--done', `${$('budget').value / 10}%`);
    $('budget').setAttribute('aria-valuetext', `${$('budget-number').value} per tick`);
  }

  showContestants(texts) {
    const holder = $('contestants');
    const world = this.worldBase();
    while (this.contestants.length > texts.length) this.contestants.pop().root.remove();
    texts.forEach((text, index) => {
      const known = this.contestants[index];
      if (known?.text === text && known.world === world) return;
      const card = this.card(index, text, world, known?.open ?? false);
      if (known) {
        const focused = known.root.contains(document.activeElement) ? document.activeElement.id : null;
        known.root.replaceWith(card.root);
        if (focused) $(focused)?.focus();
      } else holder.append(card.root);
      this.contestants[index] = card;
    });
    for (const card of this.contestants) card.remove.hidden = this.contestants.length === 1;
    $('add-contestant').hidden = this.contestants.length >= this.catalog.limits.contestants;
  }

  card(index, text, world, open) {
    const value = parseContestant(text);
    const algorithm = this.byName.get(value.name);
    const card = { text, world, value, open };
    const select = make('select', { id: `algorithm-${index}`, data: { testid: `algorithm-${index}` } });
    select.setAttribute('aria-label', `Algorithm of contestant ${'ABC'[index]}`);
    const groups = [['Act in every tick', (a) => a.acts_at_once], ['Wait for a path first', (a) => !a.acts_at_once]];
    for (const [label, belongs] of groups) {
      const group = make('optgroup', { label });
      for (const a of this.catalog.algorithms.filter(belongs)) {
        const defined = a.worlds.includes(world);
        group.append(make('option', { value: a.name, textContent: defined ? a.title : `${a.title}: ${WORLD_REASONS[world] ?? 'not in this world'}`, disabled: !defined, title: a.about }));
      }
      if (group.children.length) select.append(group);
    }
    select.value = value.name;
    const apply = () => {
      const texts = this.texts();
      this.ask.restart({ contestants: texts });
    };
    select.addEventListener('change', () => {
      card.value = { name: select.value, values: {} };
      apply();
    });
    card.remove = make('button', { type: 'button', className: 'icon', title: 'Remove this contestant', data: { testid: `remove-${index}` } }, '×');
    card.remove.setAttribute('aria-label', `Remove contestant ${'ABC'[index]}`);
    card.remove.addEventListener('click', () => this.ask.restart({ contestants: this.texts().filter((_, i) => i !== index) }));
    const root = card.root = make('div', { className: 'contestant' },
      make('div', { className: 'contestant-head' }, make('span', { className: 'badge', textContent: 'ABC'[index] }), select, card.remove));
    if (!algorithm) return card;
    root.append(make('p', { className: 'hint', textContent: algorithm.about }));
    if (algorithm.parameters.length) {
      const changed = algorithm.parameters.filter((p) => p.name in value.values && value.values[p.name] !== String(p.default)).length;
      const details = make('details', { open }, make('summary', { textContent: changed ? `Settings (${changed} changed)` : 'Settings' }));
      details.addEventListener('toggle', () => {
        card.open = details.open;
      });
      for (const parameter of algorithm.parameters) details.append(this.parameter(index, parameter, value.values[parameter.name], (entered) => {
        card.value.values[parameter.name] = entered;
        apply();
      }));
      root.append(details);
    }
    const facts = make('details', {}, make('summary', { textContent: 'Paper and guarantees' }), make('p', { className: 'hint citation', textContent: algorithm.paper }));
    const rows = [['Walk', algorithm.facts?.cost], ['When the map changes', algorithm.facts?.changes], ['When the goal moves', algorithm.facts?.retargets],
      ['When walls are taken away', algorithm.no_openings], ['Needs', algorithm.needs?.length ? algorithm.needs.join(', ') : null]];
    for (const [label, fact] of rows) if (fact) facts.append(make('p', { className: 'hint' }, make('strong', { textContent: `${label}: ` }), fact));
    root.append(facts);
    return card;
  }

  parameter(index, parameter, current, changed) {
    const id = `parameter-${index}-${parameter.name}`;
    const values = (parameter.values ?? []).map(String);
    const usual = String(parameter.default);
    const shown = current ?? usual;
    let field, choices = null;
    if (values.length > 1 && !values.some((v) => NUMBER.test(v)) && !values.some((v) => /\s|…/.test(v))) {
      field = make('select', { id });
      for (const v of new Set([...values, shown])) field.append(make('option', { value: v, textContent: v === usual ? `${v} (usual)` : v }));
      field.value = shown;
    } else {
      field = make('input', { id, type: 'text', value: shown, placeholder: usual, autocomplete: 'off', spellcheck: false });
      if (values.length) {
        choices = make('datalist', { id: `${id}-values` });
        for (const v of values) choices.append(make('option', { value: v }));
        field.setAttribute('list', choices.id);
      }
    }
    field.setAttribute('aria-describedby', `${id}-about`);
    field.addEventListener('change', () => changed(field.value.trim()));
    const allowed = field.tagName === 'INPUT' && values.length ? ` Allowed: ${values.join(', ')}.` : '';
    const row = make('div', { className: 'parameter' }, make('label', { htmlFor: id, textContent: parameter.name }), field,
      make('p', { className: 'hint', id: `${id}-about`, textContent: `${parameter.about}.${allowed} Usual: ${usual}.` }));
    if (choices) row.append(choices);
    return row;
  }

  /** Something was refused: show what is really set, and where it was wrong. */
  refuse(field) {
    for (const card of this.contestants) card.text = null;
    if (this.request && this.scene) this.update(this.request, this.scene);
    const ids = { budget: 'budget-number', seed: 'seed', world: 'world-rate', map: 'map', contestants: 'algorithm-0', agents: 'agents', crowd: 'agents', side: 'side' };
    const wrong = $(ids[field] ?? '');
    if (!wrong) return;
    wrong.setAttribute('aria-invalid', 'true');
    setTimeout(() => wrong.removeAttribute('aria-invalid'), 6000);
  }
}
