// SPDX-License-Identifier: GPL-3.0-or-later
// Where the numbers come from: the server of `moraine view`, or the elements of an exported page.
// A binary answer is a length, that many bytes of JSON which name its arrays, then the arrays.

const TYPES = {
  f4: Float32Array, f8: Float64Array, i4: Int32Array, u4: Uint32Array,
  i2: Int16Array, u2: Uint16Array, u1: Uint8Array,
};

// An array kept as whole numbers between bounds, back to lengths.
function expand(raw, width, how) {
  const out = new Float32Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    const k = i % width;
    out[i] = how.lo[k] + raw[i] * how.step[k];
  }
  return out;
}

/** {head, array: {name: typed array}} of a binary answer. */
export function decode(buffer) {
  const view = new DataView(buffer);
  const size = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  let at = 4 + size;
  const array = {};
  for (const [name, type, width, n, how] of head.arrays) {
    const Type = TYPES[type];
    at = Math.ceil(at / 8) * 8;
    const raw = new Type(buffer, at, width * n);
    at += raw.byteLength;
    array[name] = how ? expand(raw, width, how) : raw;
  }
  return { head, array };
}

class Served {
  async get(path) {
    const answer = await fetch(path, { cache: 'no-store' });
    if (!answer.ok) throw new Error((await answer.text()).slice(0, 400) || `${answer.status}`);
    return answer.arrayBuffer();
  }
}

class Embedded {
  async get(path) {
    const element = document.getElementById('data:' + path.split('?')[0]);
    if (!element) throw new Error('this page does not hold ' + path.split('?')[0]);
    const bytes = Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
  }
}

const KEPT_BYTES = 384 * 2 ** 20; // frames kept in the browser

export class Data {
  constructor() {
    this.exported = document.getElementById('data:info') !== null;
    this.source = this.exported ? new Embedded() : new Served();
    this.frames = new Map(); // key -> promise of a frame, in the order of use
    this.sizes = new Map();
    this.bytes = 0;
    this.fixed = null; // what rarely changes between frames: {key, arrays}
  }

  async json(path) {
    return JSON.parse(new TextDecoder().decode(await this.source.get(path)));
  }

  async info() {
    return this.json('info');
  }

  async binary(path) {
    return decode(await this.source.get(path));
  }

  forget() {
    this.frames.clear();
    this.sizes.clear();
    this.bytes = 0;
  }

  /** Frame k with the wanted arrays; the same promise for the same wish. */
  frame(k, wish) {
    const key = `${k} ${wish.field} ${wish.contacts ? 1 : 0}`;
    let found = this.frames.get(key);
    if (found) {
      this.frames.delete(key); // used last
    } else {
      found = this.#fetch(k, wish, key);
      found.catch(() => this.frames.delete(key));
    }
    this.frames.set(key, found);
    return found;
  }

  has(k, wish) {
    return this.frames.has(`${k} ${wish.field} ${wish.contacts ? 1 : 0}`);
  }

  async #fetch(k, wish, key) {
    const have = this.fixed ? `&have=${this.fixed.key}` : '';
    const contacts = wish.contacts ? '&contacts=1' : '';
    const field = encodeURIComponent(wish.field);
    let frame = await this.binary(`frame/${k}?field=${field}${contacts}${have}`);
    // what was left out was that of another frame meanwhile
    if (!frame.array.id && this.fixed?.key !== frame.head.key)
      frame = await this.binary(`frame/${k}?field=${field}${contacts}`);
    if (frame.array.id) {
      const { id, radius, group, material, parent, part, flags } = frame.array;
      this.fixed = { key: frame.head.key, arrays: { id, radius, group, material, parent, part, flags } };
    }
    Object.assign(frame.array, this.fixed.arrays);
    if (this.exported && frame.array['value:' + wish.field])
      frame.array.value = frame.array['value:' + wish.field];
    frame.k = k;
    this.#note(key, frame);
    return frame;
  }

  #note(key, frame) {
    let size = 0;
    for (const a of Object.values(frame.array)) if (a) size += a.byteLength;
    this.sizes.set(key, size);
    this.bytes += size;
    for (const old of this.frames.keys()) {
      if (this.bytes <= KEPT_BYTES || old === key) break;
      this.bytes -= this.sizes.get(old) ?? 0;
      this.sizes.delete(old);
      this.frames.delete(old);
    }
  }
}
