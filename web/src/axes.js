// SPDX-License-Identifier: GPL-3.0-or-later
// Directions and a length in the corner of the picture, as in those of `moraine picture`.
import { el, quantity } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';
const ARM = 24; // pixels
const COLOURS = ['#d1495b', '#4f9d55', '#3d7fc1'];

function svg(tag, attributes = {}) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
}

// The largest of 1, 2, 5 times a power of ten that is not above v.
function round(v) {
  const power = 10 ** Math.floor(Math.log10(v));
  return power * (v >= 5 * power ? 5 : v >= 2 * power ? 2 : 1);
}

export class Axes {
  constructor(root, dimension) {
    const size = 2 * ARM + 22;
    this.arms = ['x', 'y', 'z'].slice(0, dimension).map((name, k) => {
      const line = svg('line', { stroke: COLOURS[k], 'stroke-width': 2, 'stroke-linecap': 'round' });
      const text = svg('text', { fill: COLOURS[k], 'text-anchor': 'middle', 'dominant-baseline': 'central' });
      text.textContent = name;
      return { line, text, group: svg('g') };
    });
    this.triad = svg('svg', { width: size, height: size, viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, 'aria-hidden': 'true' });
    for (const a of this.arms) { a.group.append(a.line, a.text); this.triad.append(a.group); }
    this.bar = el('i');
    this.length = el('span');
    root.append(this.triad, el('div.length', {}, this.bar, this.length));
  }

  /** directions: of x, y, z in the picture, [right, up, towards us]; perPixel: length of a pixel. */
  show(directions, perPixel) {
    const order = this.arms.map((_, k) => k).sort((a, b) => directions[a][2] - directions[b][2]);
    for (const k of order) {
      const [x, y] = directions[k], { line, text, group } = this.arms[k], short = Math.hypot(x, y) < 0.12;
      line.setAttribute('x2', ARM * x);
      line.setAttribute('y2', -ARM * y);
      text.setAttribute('x', short ? 9 : (ARM + 7) * x / Math.hypot(x, y) * Math.max(Math.hypot(x, y), 0.35));
      text.setAttribute('y', short ? 9 : -(ARM + 7) * y / Math.hypot(x, y) * Math.max(Math.hypot(x, y), 0.35));
      this.triad.append(group); // what is nearer stands before the rest
    }
    const long = round(110 * perPixel);
    this.bar.style.width = `${long / perPixel}px`;
    this.length.textContent = quantity(long, 'm', 3);
  }
}
