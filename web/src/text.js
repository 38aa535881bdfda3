// SPDX-License-Identifier: GPL-3.0-or-later
// Elements and numbers for people. Text from files enters the page as text alone, never as HTML.

/** el('p.soft', {title: …}, child, …): children are elements or texts. */
export function el(what, props = {}, ...children) {
  const [tag, ...classes] = what.split('.');
  const e = document.createElement(tag);
  if (classes.length) e.className = classes.join(' ');
  for (const [k, v] of Object.entries(props)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'style') e.style.cssText = v;
    else if (k in e) e[k] = v;
    else e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

export function number(v, digits = 4) {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
  if (v === 0) return '0';
  const a = Math.abs(v);
  if (a >= 1e5 || a < 1e-2) return v.toExponential(digits - 1).replace(/\.?0*e\+?/, 'e');
  return String(+v.toPrecision(digits));
}

const PREFIX = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
/** With a prefix where the unit takes one: 1.2 ms, 3.4 kN; kg and rates are left as they are. */
export function quantity(v, unit, digits = 4) {
  const plain = !unit || !/^(m|s|N|Pa|J|m\/s|rad\/s|N m|W)$/.test(unit);
  if (plain || !v || !Number.isFinite(v)) return number(v, digits) + (unit && unit !== '1' ? ' ' + unit : '');
  const seen = Math.abs(+v.toPrecision(digits)); // 999.96 ms is 1 s in four digits
  const [f, p] = PREFIX.find(([f]) => seen >= f * (1 - 1e-12)) ?? PREFIX[PREFIX.length - 1];
  return number(v / f, digits) + ' ' + p + unit;
}

export function facts(pairs) {
  const list = el('dl.facts');
  for (const [k, v] of pairs) list.append(el('dt', { title: k }, k), el('dd', {}, String(v)));
  return list;
}
