// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of the probes under the picture, with a line at the instant that is shown.
import uPlot from 'uplot';
import { el, number } from './text.js';

const COLOURS = {
  light: ['#0072b2', '#d55e00', '#009e73', '#b0578d', '#3a9bd0', '#c98a00', '#1c1f23'],
  dark: ['#58b4ea', '#ff8d3f', '#3fd0a4', '#e296c2', '#8fd0f4', '#f0b93a', '#e4e7ea'],
};

export class Plots {
  constructor(root, onTime, onChange) {
    this.root = root;
    this.onTime = onTime;
    this.onChange = onChange;
    this.chosen = [];
    this.time = 0;
    this.log = false;
    this.tools = el('div.tools');
    this.area = el('div.area');
    root.append(this.tools, this.area);
    new ResizeObserver(() => this.resize()).observe(this.area);
  }

  /** The table of probes: head.columns [{name, unit}], array.time and one array per column. */
  setTable(table) {
    this.table = table;
    this.columns = new Map(table.head.columns.map((c) => [c.name, c]));
    this.chosen = this.chosen.filter((n) => this.columns.has(n));
    if (!this.chosen.length)
      this.chosen = ['kinetic-energy', 'residual'].filter((n) => this.columns.has(n)).slice(0, 1);
    if (!this.chosen.length && table.head.columns.length) this.chosen = [table.head.columns[0].name];
    this.build();
  }

  energies() {
    const named = ['kinetic-energy', 'rotational-energy', 'elastic-energy', 'gravity-energy', 'dissipated-energy', 'input-energy'];
    let list = named.filter((n) => this.columns.has(n));
    if (list.length < 3) list = [...this.columns.values()].filter((c) => c.unit === 'J').map((c) => c.name).slice(0, 7);
    this.chosen = list;
    this.build();
    this.onChange();
  }

  set(names) {
    this.chosen = names;
    if (this.table) this.setTable(this.table);
  }

  add(name) {
    if (name && !this.chosen.includes(name)) this.chosen = [...this.chosen, name].slice(-7);
    this.build();
    this.onChange();
  }

  remove(name) {
    this.chosen = this.chosen.filter((n) => n !== name);
    this.build();
    this.onChange();
  }

  colour(i) {
    const dark = document.documentElement.dataset.theme === 'dark';
    return COLOURS[dark ? 'dark' : 'light'][i % 7];
  }

  #tools() {
    const add = el('select', { id: 'add-probe', onchange: (e) => this.add(e.target.value), title: 'Add a probe' },
      el('option', { value: '' }, 'add a probe…'),
      ...[...this.columns.values()].map((c) => el('option', { value: c.name }, c.name + (c.unit === '1' ? '' : ` [${c.unit}]`))));
    const chips = this.chosen.map((n, i) => el('span.chip', {},
      el('i', { style: `background:${this.colour(i)}` }), n,
      el('button', { title: 'Remove', onclick: () => this.remove(n) }, '×')));
    this.tools.replaceChildren(add,
      el('button', { onclick: () => this.energies() }, 'energies'),
      el('label', {}, el('input', { type: 'checkbox', checked: this.log, onchange: (e) => { this.log = e.target.checked; this.build(); this.onChange(); } }), ' log'),
      el('span.chips', {}, ...chips));
  }

  build() {
    if (!this.table || this.root.hidden) return;
    this.#tools();
    this.plot?.destroy();
    this.plot = null;
    this.area.replaceChildren();
    const time = this.table.array.time;
    if (!this.chosen.length || !time) return;
    const units = new Set(this.chosen.map((n) => this.columns.get(n).unit));
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--soft'), rule = style.getPropertyValue('--rule');
    const axis = { stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule } };
    const values = (u, list) => list.map((v) => (v === null ? '' : number(v)));
    const scales = { x: { time: false } };
    const axes = [{ ...axis, values, label: 'time [s]', labelSize: 16, size: 30, stroke: ink }];
    [...units].slice(0, 2).forEach((unit, k) => {
      scales[unit] = { distr: this.log ? 3 : 1 };
      axes.push({ ...axis, scale: unit, side: k ? 1 : 3, label: unit === '1' ? '' : unit, labelSize: unit === '1' ? 0 : 16, size: 66, values,
        grid: k ? { show: false } : axis.grid });
    });
    const second = [...units][0];
    const options = {
      width: this.area.clientWidth, height: this.area.clientHeight, scales, axes,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      series: [{}, ...this.chosen.map((n, i) => {
        const unit = this.columns.get(n).unit;
        return { label: n, stroke: this.colour(i), width: 1.6, spanGaps: false, points: { show: false },
          scale: [...units].indexOf(unit) < 2 ? unit : second };
      })],
      hooks: {
        draw: [(u) => this.#mark(u)],
        ready: [(u) => u.over.addEventListener('pointerdown', (e) => {
          this.onTime(u.posToVal(e.offsetX, 'x'));
        })],
      },
    };
    const clean = (a) => Array.from(a, (v) => (Number.isFinite(v) && !(this.log && v <= 0) ? v : null));
    const data = [Array.from(time), ...this.chosen.map((n) => clean(this.table.array[n]))];
    this.plot = new uPlot(options, data, this.area);
  }

  #mark(u) {
    const x = u.valToPos(this.time, 'x', true), { top, height, left, width } = u.bbox;
    if (!(x >= left && x <= left + width)) return;
    const style = getComputedStyle(document.documentElement);
    u.ctx.save();
    u.ctx.strokeStyle = style.getPropertyValue('--ink');
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  at(time) {
    this.time = time;
    this.plot?.redraw(false, false);
  }

  /** Value of a probe at the row nearest before the time. */
  valueAt(name, time = this.time) {
    const t = this.table?.array.time;
    if (!t || !this.table.array[name]) return NaN;
    let lo = 0, hi = t.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (t[mid] <= time * (1 + 1e-12) + 1e-15) lo = mid; else hi = mid - 1;
    }
    return this.table.array[name][lo];
  }

  resize() {
    if (this.plot) this.plot.setSize({ width: this.area.clientWidth, height: this.area.clientHeight });
  }
}
