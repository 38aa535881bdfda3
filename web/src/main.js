// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `moraine view`: what the user chooses, and who is told of it. The whole choice stands
// in the address after '#', so that a link shows the same.
import { Axes } from './axes.js';
import { Data } from './data.js';
import { Plots } from './plots.js';
import { Scene } from './scene.js';
import { el, facts, number, quantity } from './text.js';

const $ = (id) => document.getElementById(id);
const data = new Data();
let info, scene, plots, summary = null, modes = null;
let fixedRange = null; // given by the user: [lo, hi]
let ranges = new Map(); // of the fields, over the run
let times = [];

const state = {
  frame: 0, field: 'speed', palette: 'viridis', playing: false, rate: 12, contacts: '', weakest: 0,
  grains: '', walls: true, opacity: 0.28, selected: -1, follow: false, panel: true, plots: true, theme: '',
  clip: [0, 1, 0, 1, 0, 1], mode: -1, amplitude: 1, live: true,
};
// '': faint where contacts are shown in space, solid elsewhere
const GRAINS = [['', 'as it fits'], ['solid', 'solid'], ['faint', 'faint'], ['hidden', 'hidden']];
const RATES = [3, 6, 12, 24, 60]; // frames a second
const DEFAULTS = { ...state, clip: [...state.clip] };

// ---- address ----

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const text = (k) => given.get(k);
  const whole = (k, d) => (/^-?\d+$/.test(text(k) ?? '') ? parseInt(text(k), 10) : d);
  state.frame = whole('frame', state.frame);
  if (info.fields.some((f) => f.name === text('field'))) state.field = text('field');
  if (info.palettes.some((p) => p.name === text('palette'))) state.palette = text('palette');
  state.selected = whole('grain', -1);
  state.follow = text('follow') === '1';
  const part = (k, d) => { const v = parseFloat(text(k)); return v >= 0 && v <= 3 ? v : d; };
  if (info.contacts && ['chains', 'network'].includes(text('contacts'))) state.contacts = text('contacts');
  state.walls = text('walls') !== '0';
  if (GRAINS.some(([v]) => v === text('grains'))) state.grains = text('grains');
  state.opacity = Math.min(1, part('opacity', state.opacity));
  state.weakest = Math.min(0.9, part('weakest', state.weakest));
  state.amplitude = part('amplitude', state.amplitude);
  state.mode = whole('mode', -1);
  if (RATES.includes(whole('rate', 0))) state.rate = whole('rate', 0);
  plots.log = text('log') === '1';
  state.panel = text('panel') !== '0' && (text('panel') === '1' || innerWidth > 720);
  state.plots = text('plots') !== '0';
  if (['dark', 'light'].includes(text('theme'))) state.theme = text('theme');
  const list = (k, n) => {
    const v = (text(k) ?? '').split(',').map(Number);
    return v.length === n && v.every(Number.isFinite) ? v : null;
  };
  state.clip = list('clip', 6) ?? state.clip;
  fixedRange = list('range', 2);
  if (text('probes')) plots.chosen = text('probes').split(',').slice(0, 7);
  return text('camera');
}

let addressTimer = 0;
function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const out = new URLSearchParams();
    out.set('frame', state.frame);
    for (const k of ['field', 'palette', 'theme', 'contacts', 'grains', 'weakest', 'opacity', 'mode', 'amplitude', 'rate']) if (state[k] !== DEFAULTS[k]) out.set(k, state[k]);
    if (state.selected >= 0) out.set('grain', state.selected);
    if (state.follow) out.set('follow', 1);
    if (plots.log) out.set('log', 1);
    for (const k of ['walls', 'panel', 'plots']) if (!state[k]) out.set(k, 0);
    if (state.clip.some((v, i) => v !== i % 2)) out.set('clip', state.clip.map((v) => +v.toFixed(4)).join(','));
    if (fixedRange) out.set('range', fixedRange.join(','));
    if (plots.chosen.length) out.set('probes', plots.chosen.join(','));
    out.set('camera', scene.cameraState());
    history.replaceState(null, '', '#' + out.toString());
  }, 250);
}

// ---- frames ----

function wish() {
  return { field: state.field, contacts: !!state.contacts };
}

let asked = 0;
async function show(k) {
  k = Math.max(0, Math.min(times.length - 1, k));
  state.frame = k;
  const turn = ++asked;
  bar.update();
  const before = state.follow && state.selected >= 0 ? scene.place(state.selected) : null;
  let frame;
  try {
    frame = await data.frame(k, wish());
  } catch (error) {
    if (turn === asked) tell(`Frame ${k} cannot be shown: ${error.message}`);
    return;
  }
  if (turn !== asked) return;
  tell('');
  scene.show(frame);
  if (before) {
    const now = scene.place(state.selected);
    if (now) scene.shift(now.sub(before));
  }
  plots.at(frame.head.time);
  applyRange();
  bar.update();
  showGrain();
  showLedger();
  showTitle();
  writeAddress();
  if (document.documentElement.dataset.complete) ahead(k);
}

function ahead(k) {
  for (let i = 1; i <= 3; i++) if (k + i < times.length) data.frame(k + i, wish()).catch(() => {});
}

function tell(text) {
  $('message').hidden = !text;
  $('message').textContent = text;
}

let timer = 0;
function play(on) {
  state.playing = on;
  clearTimeout(timer);
  if (on && state.frame >= times.length - 1) show(0);
  if (on) step();
  bar.update();
}

async function step() {
  const began = performance.now();
  if (state.frame >= times.length - 1) { if (!info.running) { play(false); return; } } else await show(state.frame + 1);
  if (!state.playing) return;
  timer = setTimeout(step, Math.max(0, 1000 / state.rate - (performance.now() - began)));
}

function nearest(time) {
  let lo = 0, hi = times.length - 1;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (times[mid] < time) lo = mid + 1; else hi = mid;
  }
  return lo > 0 && Math.abs(times[lo - 1] - time) < Math.abs(times[lo] - time) ? lo - 1 : lo;
}

// ---- colours ----

const fieldNow = () => info.fields.find((f) => f.name === state.field);
const paletteNow = () => info.palettes.find((p) => p.name === state.palette) ?? info.palettes[0];

async function applyField() {
  scene.colours(fieldNow(), paletteNow(), info.classes);
  if (fieldNow().kind === 'number' && !ranges.has(state.field)) {
    try {
      ranges.set(state.field, await data.json('range/' + encodeURIComponent(state.field)));
    } catch { /* the frame's own range serves */ }
  }
  applyRange();
}

function rangeNow() {
  if (fixedRange) return fixedRange;
  const r = ranges.get(state.field);
  if (r && r.hi > r.lo) return [r.lo, r.hi];
  return frameRange() ?? [0, 1];
}

function applyRange() {
  const [lo, hi] = rangeNow();
  scene.range(lo, hi);
  drawLegend(lo, hi);
  const boxes = document.querySelectorAll('#range input');
  if (boxes.length && document.activeElement !== boxes[0] && document.activeElement !== boxes[1]) {
    boxes[0].value = number(lo);
    boxes[1].value = number(hi);
  }
}

function drawLegend(lo, hi) {
  const f = fieldNow(), box = $('legend');
  for (const e of document.querySelectorAll('.of-numbers')) e.hidden = f.kind !== 'number';
  box.hidden = f.kind === 'plain';
  if (f.kind === 'class') {
    const names = f.name === 'material' ? info.materials : info.groups;
    box.replaceChildren(el('b', {}, f.title), ...names.map((n, i) =>
      el('div.class', {}, el('i', { style: `background:${info.classes[i % info.classes.length]}` }), n)));
  } else {
    const stops = [...paletteNow().stops].reverse().join(',');
    box.replaceChildren(el('b', {}, f.title + (f.unit ? ` [${f.unit}]` : '')),
      el('div.ramp', {}, el('i', { style: `--ramp:${stops}` }),
        el('span', {}, ...[1, 0.5, 0].map((t) => el('span', {}, number(lo + t * (hi - lo), 3))))));
  }
  const chain = $('chain-legend');
  chain.hidden = !(state.contacts && scene.bars.visible);
  if (!chain.hidden) {
    const most = quantity(scene.forceScale, 'N', 3);
    chain.replaceChildren(el('b', {}, state.contacts === 'chains' ? 'Force chains' : 'Contact network'), el('br'),
      'normal contact force', el('i.bars', { style: `background:linear-gradient(90deg,${scene.barColours.join(',')})` }),
      el('span.ends', {}, el('span', {}, '0'), el('span', {}, most + ' and more')));
  }
}

// ---- panels ----

function tick(text, get, set, id) {
  return el('label.tick', {}, el('input', { type: 'checkbox', id: id ?? '', checked: get(), onchange: (e) => set(e.target.checked) }), text);
}

function select(id, options, value, change) {
  return el('select', { id, onchange: (e) => change(e.target.value) },
    ...options.map(([v, text]) => el('option', { value: v, selected: v === value }, text)));
}

function colourPanel() {
  const setRange = () => {
    const v = [...document.querySelectorAll('#range input')].map((i) => parseFloat(i.value));
    fixedRange = v.every(Number.isFinite) && v[1] > v[0] ? v : null;
    applyRange();
    writeAddress();
  };
  return el('details', { open: true }, el('summary', {}, 'Colour'),
    el('label', {}, 'field', select('field', info.fields.map((f) => [f.name, (f.title || 'one colour') + (f.unit ? ` [${f.unit}]` : '')]), state.field, async (v) => {
      state.field = v;
      fixedRange = null;
      await applyField();
      show(state.frame);
    })),
    el('label.of-numbers', {}, 'palette', select('palette', info.palettes.map((p) => [p.name, p.name]), state.palette, (v) => {
      state.palette = v;
      applyField();
      writeAddress();
    })),
    el('label.of-numbers', {}, 'range', el('span.pair', { id: 'range' },
      el('input', { type: 'text', title: 'lowest', onchange: setRange }), el('input', { type: 'text', title: 'highest', onchange: setRange }))),
    el('div.row.of-numbers', {}, el('button', { onclick: () => { fixedRange = null; applyRange(); writeAddress(); } }, 'range of the run'),
      el('button', { onclick: () => { fixedRange = frameRange(); applyRange(); writeAddress(); } }, 'of this frame')));
}

/** Lowest and highest finite value of this frame; null: all are one. */
function frameRange() {
  let lo = Infinity, hi = -Infinity;
  for (const v of scene.frame?.array.value ?? []) {
    if (v < lo && v > -Infinity) lo = v;
    if (v > hi && v < Infinity) hi = v;
  }
  return hi > lo ? [lo, hi] : null;
}

function slider(name, id, min, max, step, change, title = '') {
  return el('input', { type: 'range', id, min, max, step, value: state[name], title, 'aria-label': title || name,
    oninput: (e) => { state[name] = +e.target.value; change(); writeAddress(); } });
}

// What of the choice is a matter of how things are drawn.
function applyLook() {
  for (const w of scene.walls) w.material.uniforms.opacity.value = state.opacity;
  scene.bars.material.uniforms.weakest.value = state.weakest;
  scene.bars.material.uniforms.alike.value = state.contacts === 'network';
  const grains = state.grains || (state.contacts && info.dimension === 3 ? 'faint' : 'solid');
  scene.shared.solid.value = grains === 'faint' ? 0.25 : 1;
  scene.balls.material.visible = scene.forms.material.visible = grains !== 'hidden';
  scene.showWalls = state.walls;
  scene.draw();
}

function showPanel() {
  const parts = [
    el('label', {}, 'grains', select('grains', GRAINS, state.grains, setGrains)),
    tick('walls', () => state.walls, setWalls, 'walls'),
    el('label', {}, 'opacity', slider('opacity', 'opacity', 0, 1, 0.02, applyLook, 'of the walls')),
  ];
  if (info.contacts) {
    parts.push(
      el('label', {}, 'contacts', select('contacts', [['', 'not shown'], ['chains', 'force chains'], ['network', 'network']], state.contacts, setContacts)),
      el('label', {}, 'weakest', slider('weakest', 'weakest', 0, 0.9, 0.02, applyLook, 'part of the largest force below which contacts are left out')));
  } else {
    parts.push(el('p.soft', {}, 'No contacts are stored: run with output: {contacts: true} to see force chains.'));
  }
  return el('details', { open: true }, el('summary', {}, 'Show'), ...parts,
    el('div.row', {}, ...['fit', 'all', 'corner', 'front', 'side', 'top'].slice(0, info.dimension === 2 ? 2 : 6).map((v) => {
      const title = { fit: 'this frame in view (f)', all: 'all of the run in view (a)' }[v] ?? `all of the run, ${v} view`;
      return el('button', { id: `see-${v}`, title, onclick: () => { scene.fit(v === 'fit' || v === 'all' ? undefined : v, v === 'fit'); writeAddress(); } }, v);
    })));
}

function setWalls(on) {
  state.walls = on;
  if ($('walls')) $('walls').checked = on;
  applyLook();
  show(state.frame);
}

function setGrains(how) {
  state.grains = how;
  if ($('grains')) $('grains').value = how;
  applyLook();
  writeAddress();
}

function setContacts(what) {
  state.contacts = info.contacts ? what : '';
  if ($('contacts')) $('contacts').value = state.contacts;
  applyLook();
  show(state.frame);
}

function applyClip() {
  const e = info.extent, pad = 1e-6 + Math.max(...e.hi.map((v, k) => v - e.lo[k])) * 0.02;
  const at = (k, t) => (t <= 0 ? -1e30 : t >= 1 ? 1e30 : e.lo[k] - pad + t * (e.hi[k] - e.lo[k] + 2 * pad));
  scene.shared.clipLo.value.set(...[0, 1, 2].map((k) => at(k, state.clip[2 * k])));
  scene.shared.clipHi.value.set(...[0, 1, 2].map((k) => (state.clip[2 * k + 1] >= 1 ? 1e30 : at(k, state.clip[2 * k + 1]))));
  scene.draw();
}

function clipPanel() {
  const rows = 'xyz'.slice(0, info.dimension).split('').map((name, k) => el('label', {}, name,
    el('span.pair', {}, ...[0, 1].map((s) => el('input', { type: 'range', id: `clip-${name}${s}`, min: 0, max: 1, step: 0.005, value: state.clip[2 * k + s],
      oninput: (e) => { state.clip[2 * k + s] = +e.target.value; applyClip(); writeAddress(); } })))));
  return el('details', {}, el('summary', {}, 'Cut'), ...rows, el('div.row', {}, el('button', { onclick: () => {
    state.clip = [...DEFAULTS.clip];
    document.querySelectorAll('[id^=clip-]').forEach((i) => { i.value = i.id.endsWith('1') ? 1 : 0; });
    applyClip();
    writeAddress();
  } }, 'whole')));
}

function grainPanel() {
  return el('details', { id: 'grain-panel', open: true }, el('summary', {}, 'Grain'), el('div', { id: 'grain' }, el('p.soft', {}, 'Click a grain.')));
}

let grainTurn = 0;
async function showGrain() {
  const box = $('grain');
  if (!box) return;
  if (state.selected < 0) { box.replaceChildren(el('p.soft', {}, 'Click a grain.')); return; }
  const turn = ++grainTurn, k = state.frame, i = scene.indexOf(state.selected);
  if (i < 0) { box.replaceChildren(el('p', {}, `Grain ${state.selected} is not there at this time.`)); return; }
  let told = null;
  if (!data.exported && !state.playing) {
    try { told = await data.json(`grain/${k}/${state.selected}`); } catch { /* what the frame holds serves */ }
  }
  if (turn !== grainTurn) return;
  box.replaceChildren(...grainText(i, told));
}

function grainText(i, told) {
  const a = scene.frame.array;
  const pairs = [['number', state.selected], ['group', info.groups[a.group[i]] ?? '–'], ['material', info.materials[a.material[i]] ?? '–']];
  if (told) for (const f of info.fields) {
    if (f.kind === 'number' && f.name !== 'id' && f.name in told.values) pairs.push([f.title, quantity(told.values[f.name], f.unit)]);
  } else {
    pairs.push(['position', [0, 1, 2].slice(0, info.dimension).map((k) => quantity(a.x[3 * i + k], 'm', 3)).join(', ')], ['radius', quantity(a.radius[i], 'm')]);
    if (a.value && fieldNow().kind === 'number') pairs.push([fieldNow().title, quantity(a.value[i], fieldNow().unit)]);
  }
  if (a.parent && a.parent[i] >= 0) pairs.push(['cluster', a.parent[i]]);
  const out = [facts(pairs), el('div.row', {},
    tick('follow', () => state.follow, (on) => { state.follow = on; writeAddress(); }, 'follow'),
    el('button', { onclick: () => select_(-1) }, 'clear'))];
  if (told?.contacts?.length) {
    out.push(el('table.list', {}, el('tr', {}, el('th', {}, 'touches'), el('th', {}, 'normal'), el('th', {}, 'tangential'), el('th', {}, 'overlap')),
      ...told.contacts.map((c) => el('tr.go', { onclick: () => { if (c.wall === null) select_(c.id); } },
        el('td', {}, c.wall ?? `grain ${c.id}`), el('td', {}, quantity(c.normal, 'N', 3)), el('td', {}, quantity(c.tangential, 'N', 3)), el('td', {}, quantity(-c.gap, 'm', 3))))));
  } else if (told && info.contacts) {
    out.push(el('p.soft', {}, 'It touches nothing.'));
  }
  return out;
}

function select_(id) {
  state.selected = id;
  scene.selectId(id);
  if (id < 0) state.follow = false;
  showGrain();
  writeAddress();
}

const LEDGER = /energy|work|lost|dissip|residual/;
function ledgerPanel() {
  return el('details', { id: 'ledger-panel', open: true }, el('summary', {}, 'Energy'), el('div', { id: 'ledger' }));
}
function showLedger() {
  const box = $('ledger');
  if (!box || !plots.table) return;
  const rows = plots.table.head.columns.filter((c) => c.unit === 'J' && LEDGER.test(c.name) || c.name === 'energy-residual');
  box.replaceChildren(rows.length ? facts(rows.map((c) => [c.name, quantity(plots.valueAt(c.name), c.unit)])) : el('p.soft', {}, 'no energies in probes.csv'));
}

function runPanel() {
  if (!summary) return null;
  const s = summary, pairs = [['status', s.status], ['method', s.method], ['time', quantity(s.time, 's')], ['steps', s.step]];
  if (s['time-step']?.seconds) pairs.push(['time step', quantity(s['time-step'].seconds, 's')]);
  if (s.cost) pairs.push(['took', quantity(s.cost['wall-seconds'], 's', 3)], ['body steps/s', number(1e6 * s.cost['million-body-steps-per-second'], 3)]);
  if (s.hash) pairs.push(['hash', s.hash]);
  return el('details', {}, el('summary', {}, 'Run' + (s.warnings?.length ? ` (${s.warnings.length} warning${s.warnings.length > 1 ? 's' : ''})` : '')),
    facts(pairs.map(([k, v]) => [k, typeof v === 'object' ? JSON.stringify(v) : v])), ...(s.warnings ?? []).map((w) => el('div.warn', {}, w.text)));
}

let modeTimer = 0;
function modePanel() {
  if (!modes?.length) return null;
  return el('details', { open: true }, el('summary', {}, 'Modes'),
    el('label', {}, 'motion', select('mode', [['-1', 'none'], ...modes.map((m, i) => [String(i), m.name])], String(state.mode), (v) => setMode(+v))),
    el('label', {}, 'amplitude', slider('amplitude', 'amplitude', 0, 3, 0.05, () => {}, 'largest motion, in median radii')));
}

function setMode(k) {
  const m = modes?.[k];
  state.mode = m ? k : -1;
  if ($('mode')) $('mode').value = String(state.mode);
  writeAddress();
  cancelAnimationFrame(modeTimer);
  scene.setMode(m ? new Map(m.id.map((id, i) => [id, m.u.slice(3 * i, 3 * i + 3)])) : null);
  if (!m) { scene.sway(0); return; }
  let largest = 0;
  for (let i = 0; i < m.u.length; i += 3) largest = Math.max(largest, Math.hypot(m.u[i], m.u[i + 1], m.u[i + 2]));
  const r = scene.medianRadius;
  const beat = (t) => {
    scene.sway(state.amplitude * r / (largest || 1) * Math.sin(t / 1000 * Math.PI));
    modeTimer = requestAnimationFrame(beat);
  };
  modeTimer = requestAnimationFrame(beat);
}

function buildPanel() {
  $('panel').replaceChildren(...[colourPanel(), showPanel(), clipPanel(), modePanel(), grainPanel(), ledgerPanel(), runPanel(),
    el('p.soft', {}, info.program)].filter(Boolean));
  showGrain();
  showLedger();
  applyRange();
}

function showTitle() {
  const n = scene.frame?.head.n ?? 0;
  $('title').replaceChildren(info.title || 'untitled', el('small', {}, `${n.toLocaleString('en')} grains`));
  document.title = (info.title || 'run') + ' · Moraine';
}

// ---- the bar ----

const bar = {
  build() {
    const b = (text, title, onclick, id) => el('button', { title, onclick, id: id ?? '', 'aria-label': title }, text);
    this.play = b('▶', 'Play (space)', () => play(!state.playing), 'play');
    this.slider = el('input', { type: 'range', id: 'slider', min: 0, step: 1, value: 0, 'aria-label': 'Frame', oninput: (e) => { const k = +e.target.value; play(false); followLive(false); show(k); } });
    this.time = el('span.time', { id: 'time' });
    this.count = el('span.count');
    this.rate = select('rate', RATES.map((v) => [String(v), v + '/s']), String(state.rate), (v) => { state.rate = +v; writeAddress(); });
    this.live = el('button.live', { id: 'live', hidden: true, title: 'Go to the newest frame and stay there', onclick: () => { followLive(true); show(times.length - 1); } }, 'LIVE');
    const ends = [b('⇤', 'First frame (Home)', () => show(0)), b('⇥', 'Last frame (End)', () => show(times.length - 1))];
    for (const e of ends) e.classList.add('ends');
    $('bar').replaceChildren(ends[0], this.play, ends[1],
      this.slider, this.time, this.count, this.rate, this.live, b('∿', 'Plots (p)', () => togglePlots(), 'toggle-plots'),
      b('☰', 'Panel (m)', () => togglePanel()), b('◐', 'Dark or light (d)', () => toggleTheme(), 'theme'), b('?', 'Help (h)', () => $('help').showModal()));
  },
  update() {
    this.slider.max = Math.max(0, times.length - 1);
    this.slider.value = state.frame;
    this.play.textContent = state.playing ? '❚❚' : '▶';
    this.time.textContent = quantity(times[state.frame] ?? 0, 's');
    this.count.textContent = `${state.frame + 1} / ${times.length}`;
    this.live.hidden = !info.running;
    this.live.style.opacity = state.live ? 1 : 0.45;
  },
};

function togglePlots(on = !state.plots) {
  state.plots = on && !!plots.table;
  $('plots').hidden = !state.plots;
  plots.build();
  scene.resize();
  writeAddress();
}
function togglePanel(on = !state.panel) {
  state.panel = on;
  $('app').classList.toggle('narrow', !on);
  scene.resize();
  plots.resize();
  writeAddress();
}
function toggleTheme(name) {
  const dark = name ? name === 'dark' : document.documentElement.dataset.theme !== 'dark';
  if (!name) state.theme = dark ? 'dark' : 'light';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  scene.background(getComputedStyle(document.documentElement).getPropertyValue('--scene').trim(), dark);
  plots.build();
  writeAddress();
}

// ---- keys, pointer ----

const KEYS = [
  ['space', 'play, pause', () => play(!state.playing)],
  ['arrowright', 'next frame (shift: ten)', (e) => { play(false); followLive(false); show(state.frame + (e.shiftKey ? 10 : 1)); }],
  ['arrowleft', 'frame before (shift: ten)', (e) => { play(false); followLive(false); show(state.frame - (e.shiftKey ? 10 : 1)); }],
  ['home', 'first frame', () => show(0)],
  ['end', 'last frame', () => show(times.length - 1)],
  ['f', 'this frame in view', () => scene.fit(undefined, true)],
  ['a', 'all of the run in view', () => scene.fit()],
  ['1', 'from the front', () => scene.fit('front')],
  ['2', 'from the side', () => scene.fit('side')],
  ['3', 'from above', () => scene.fit('top')],
  ['4', 'from a corner', () => scene.fit('corner')],
  ['c', 'force chains, network, neither', () => setContacts({ '': 'chains', chains: 'network', network: '' }[state.contacts])],
  ['g', 'grains: solid, faint, hidden', () => setGrains({ '': 'solid', solid: 'faint', faint: 'hidden', hidden: '' }[state.grains])],
  ['w', 'walls', () => setWalls(!state.walls)],
  ['t', 'follow the grain that is picked', () => { state.follow = !state.follow && state.selected >= 0; showGrain(); }],
  ['escape', 'pick nothing', () => select_(-1)],
  ['p', 'plots', () => togglePlots()],
  ['m', 'panel', () => togglePanel()],
  ['d', 'dark or light', () => toggleTheme()],
  ['h', 'this list', () => $('help').showModal()],
];

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'range' && e.target.type !== 'checkbox') return;
  const name = e.key === ' ' ? 'space' : e.key.toLowerCase();
  const key = KEYS.find(([k]) => k === name || (name === '?' && k === 'h'));
  if (!key || $('help').open) return;
  e.preventDefault();
  key[2](e);
}

function listen() {
  document.addEventListener('keydown', onKey);
  const canvas = $('view');
  let down = null;
  canvas.addEventListener('pointerdown', (e) => { down = [e.clientX, e.clientY]; });
  canvas.addEventListener('pointerup', (e) => {
    if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
    const box = canvas.getBoundingClientRect();
    select_(scene.pick(e.clientX - box.left, e.clientY - box.top));
  });
  new ResizeObserver(() => scene.resize()).observe(canvas);
  scene.moved = writeAddress;
  const axes = new Axes($('axes'), info.dimension);
  scene.seen = () => { const b = scene.bearings(); axes.show(b.directions, b.perPixel); };
  $('help').append(el('h3', {}, 'Keys'), el('table', {}, ...KEYS.map(([k, what]) => el('tr', {}, el('td', {}, el('kbd', {}, { arrowright: '→', arrowleft: '←', escape: 'Esc', home: 'Home', end: 'End' }[k] ?? k)), el('td', {}, what)))),
    el('p.soft', {}, 'Drag turns, right button or two fingers shift, wheel or pinch brings nearer, a click picks a grain. The address holds what is seen: copy it to keep a view.'),
    el('form', { method: 'dialog' }, el('button', {}, 'close')));
}

// ---- a run that goes on ----

function followLive(on) {
  state.live = on;
}

async function poll() {
  try {
    const s = await data.json(`status?from=${times.length}&epoch=${info.epoch}`);
    if (s.epoch !== info.epoch) { data.forget(); ranges.clear(); times = []; info.epoch = s.epoch; }
    if (s.times.length) {
      times.push(...s.times);
      if (state.live) await show(times.length - 1);
      if (s.probes && performance.now() - probesAt > 2000) await loadProbes();
    }
    if (info.running && !s.running) { try { summary = await data.json('summary'); } catch { /* none */ } await loadProbes(); buildPanel(); }
    info.running = s.running;
    bar.update();
  } catch { info.running = false; bar.update(); return; }
  if (info.running) setTimeout(poll, 500);
}

let probesAt = 0;
async function loadProbes() {
  probesAt = performance.now();
  try {
    plots.setTable(await data.binary('probes'));
    plots.at(times[state.frame] ?? 0);
    showLedger();
  } catch { /* a trajectory alone has none */ }
}

// ---- begin ----

async function begin() {
  performance.mark('page read');
  info = await data.info();
  performance.mark('run told of');
  if (info.exported) { // what the frames of an exported page hold
    info.fields = info.fields.filter((f) => f.kind === 'plain' || info.exported.includes(f.name));
    info.contacts = info.contacts && info.withContacts;
    info.running = false;
  }
  times = info.times;
  plots = new Plots($('plots'), (t) => { play(false); followLive(false); show(nearest(t)); }, writeAddress);
  scene = new Scene($('view'), info);
  if (!info.fields.some((f) => f.name === state.field)) state.field = info.fields[0].name;
  if (info.running) state.frame = times.length - 1;
  const camera = readAddress();
  const first = state.frame < 0 ? times.length - 1 : Math.min(state.frame, times.length - 1);
  // asked for at once; what is here is shown before the rest has come
  data.frame(first, wish()).catch(() => {});
  const soon = (wanted, path) => (wanted ? data.json(path).catch(() => null) : Promise.resolve(null));
  state.live = info.running;
  bar.build();
  togglePanel(state.panel);
  await applyField();
  $('plots').hidden = !(info.probes && state.plots); // its place is kept: the picture is not drawn twice
  listen();
  scene.resize();
  scene.selectId(state.selected);
  toggleTheme(state.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => { if (!state.theme) toggleTheme(e.matches ? 'dark' : 'light'); });
  applyLook();
  performance.mark('page built');
  await show(first);
  scene.fit();
  if (camera) scene.setCamera(camera);
  applyClip();
  buildPanel();
  document.documentElement.dataset.ready = '1';
  const rest = [soon(info.summary, 'summary'), soon(info.modes, 'modes'), info.probes ? loadProbes() : null];
  [summary, modes] = await Promise.all(rest);
  modes = modes?.modes;
  buildPanel();
  if (state.mode >= 0) setMode(state.mode);
  togglePlots(state.plots);
  document.documentElement.dataset.complete = '1';
  ahead(state.frame);
  if (info.running) poll();
}

// For scripts and tests: what is shown, and a way to change it.
window.moraine = { get state() { return state; }, get scene() { return scene; }, get plots() { return plots; }, get times() { return times; }, get info() { return info; }, show, select: select_, setContacts, setMode, frame: () => scene.frame };

begin().catch((error) => tell('The run cannot be shown: ' + error.message));
