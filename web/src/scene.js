// SPDX-License-Identifier: GPL-3.0-or-later
// Grains, walls, contacts in space. Balls are triangles that face the camera and find the ball in each
// of their pixels, so that one is round at any size; grains with corners are one mesh; contacts are bars.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import {
  BALL_FRAGMENT, BALL_VERTEX, BAR_CORNERS, BAR_FRAGMENT, BAR_VERTEX, FORM_FRAGMENT, FORM_VERTEX,
  LINE_FRAGMENT, LINE_VERTEX, ROW, WALL_FRAGMENT, WALL_VERTEX,
} from './shaders.js';

const vec = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const rgb = (hex) => {
  const c = parseInt(hex.slice(1), 16);
  return new THREE.Vector3((c >> 16 & 255) / 255, (c >> 8 & 255) / 255, (c & 255) / 255);
};

/** Numbers for the graphics processor, 1 or 4 in a row; room is kept and grows by half. */
class Table {
  constructor(width) {
    this.width = width;
    this.uniform = { value: null };
    this.#make(1);
  }

  #make(lines) {
    this.uniform.value?.dispose();
    this.array = new Float32Array(lines * ROW * this.width);
    this.uniform.value = new THREE.DataTexture(this.array, ROW, lines, this.width === 1 ? THREE.RedFormat : THREE.RGBAFormat, THREE.FloatType);
  }

  /** The array with room for n rows, to be filled; what was there is lost. */
  room(n) {
    const lines = Math.max(1, Math.ceil(n / ROW)), now = this.array.length / (ROW * this.width);
    if (lines > now) this.#make(now > 1 ? Math.max(lines, Math.ceil(1.5 * now)) : lines);
    this.uniform.value.needsUpdate = true;
    return this.array;
  }
}

const LEGEND = 110; // pixels that the legend takes
const SLOW = 60, REST = 180; // ms: of a picture that is too long, and without motion until it is sharp

export class Scene {
  constructor(canvas, info) {
    this.canvas = canvas;
    this.info = info;
    this.flat = info.dimension === 2;
    // without alpha: the page must not shine through edges that cover a pixel in part
    const context = canvas.getContext('webgl2', { alpha: false, antialias: true, powerPreference: 'high-performance' });
    if (!context) throw new Error('this browser shows no WebGL 2; another one, or its settings for graphics, may help');
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // shaders write sRGB themselves
    this.scene = new THREE.Scene();
    this.camera = this.flat
      ? new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 10)
      : new THREE.PerspectiveCamera(30, 1, 0.01, 100);
    if (!this.flat) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    if (this.flat) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      this.controls.touches.ONE = THREE.TOUCH.PAN;
    }
    this.controls.addEventListener('change', () => { this.moved?.(); this.draw(); });
    const far = 1e30;
    this.shared = {
      clipLo: { value: new THREE.Vector3(-far, -far, -far) },
      clipHi: { value: new THREE.Vector3(far, far, far) },
      amplitude: { value: 0 }, lo: { value: 0 }, hi: { value: 1 }, selected: { value: -1 },
      ramp: { value: null }, rampSize: { value: 2 }, kind: { value: 0 },
      plain: { value: rgb('#b9a68b') }, rim: { value: rgb('#e8590c') }, outline: { value: rgb('#14181c') },
      upward: { value: new THREE.Vector3(0, 1, 0) }, disks: { value: this.flat },
      lens: { value: this.camera.projectionMatrix }, solid: { value: 1 },
    };
    this.table = { placeOf: new Table(4), valueOf: new Table(1), modeOf: new Table(4), turnOf: new Table(4), fromOf: new Table(4), toOf: new Table(4) };
    for (const [name, t] of Object.entries(this.table)) this.shared[name] = t.uniform;
    this.#makeBalls();
    this.#makeForms();
    this.#makeBars();
    this.#makeWalls();
    this.#makeCell();
    this.frame = null;
    this.ask = false;
    this.underway = this.drawn = 0;
  }

  material(vertexShader, fragmentShader, more = {}) {
    return new THREE.ShaderMaterial({
      vertexShader, fragmentShader, uniforms: { ...this.shared, ...(more.uniforms ?? {}) },
      side: more.side ?? THREE.FrontSide, transparent: more.transparent ?? false,
      depthWrite: more.depthWrite ?? true,
    });
  }

  #makeBalls() {
    const m = this.material(BALL_VERTEX, BALL_FRAGMENT, { side: THREE.DoubleSide });
    m.defines = {};
    m.alphaToCoverage = true;
    this.balls = this.#mesh(new THREE.BufferGeometry(), m);
  }

  #mesh(g, m) {
    const mesh = new THREE.Mesh(g, m);
    mesh.frustumCulled = false;
    mesh.visible = false;
    this.scene.add(mesh);
    return mesh;
  }

  // Triangles of the forms: places, directions, and which sides of a triangle are sides of the face (0
  // there, 1 elsewhere); parts of a form that is not convex have sides within it, and get none.
  #makeForms() {
    this.outline = this.info.forms.map((form) => {
      const position = [], facing = [], border = [], whole = form.length === 1;
      for (const part of form) {
        const p = (i) => vec(part.point.slice(3 * i, 3 * i + 3));
        for (const face of part.faces) {
          const a = p(face[0]);
          for (let k = 1; k + 1 < face.length; k++) {
            const b = p(face[k]), c = p(face[k + 1]);
            const n = b.clone().sub(a).cross(c.clone().sub(a)).normalize().multiplyScalar(127);
            const sides = [whole, whole && k + 2 === face.length, whole && k === 1];
            [a, b, c].forEach((q, at) => {
              position.push(q.x, q.y, q.z);
              facing.push(n.x, n.y, n.z, 0);
              border.push(...sides.map((is, side) => (is && side !== at ? 0 : 255)), 0);
            });
          }
        }
      }
      return { position: Float32Array.from(position), facing: Int8Array.from(facing, Math.round), border: Uint8Array.from(border) };
    });
    const m = this.material(FORM_VERTEX, FORM_FRAGMENT, { side: THREE.DoubleSide });
    m.alphaToCoverage = true;
    this.forms = this.#mesh(new THREE.BufferGeometry(), m);
  }

  #makeBars() {
    this.barColours = ['#8fb3c9', '#c0341d'];
    this.bars = this.#mesh(new THREE.BufferGeometry(), this.material(BAR_VERTEX, BAR_FRAGMENT, {
      side: THREE.DoubleSide,
      uniforms: {
        width: { value: 1 }, scale: { value: 1 }, weakest: { value: 0 }, alike: { value: false },
        weak: { value: rgb(this.barColours[0]) }, strong: { value: rgb(this.barColours[1]) },
      },
    }));
  }

  #makeWalls() {
    this.wallOpacity = 0.28;
    this.walls = this.info.walls.map((wall) => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      const g = new THREE.BufferGeometry();
      g.setAttribute('position', new THREE.Float32BufferAttribute(wall.point, 3));
      g.setIndex(wall.corner);
      const flatShaded = g.toNonIndexed();
      flatShaded.computeVertexNormals();
      const m = this.material(WALL_VERTEX, WALL_FRAGMENT, {
        side: THREE.DoubleSide, transparent: true, depthWrite: false,
        uniforms: {
          opacity: { value: this.wallOpacity }, tone: { value: rgb('#7f8b97') },
          middle: { value: new THREE.Vector3() }, reach: { value: wall.endless ? 1 : 0 },
        },
      });
      const mesh = new THREE.Mesh(flatShaded, m);
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      group.add(mesh);
      const line = this.#lineMaterial(wall.endless);
      if (!wall.endless || this.flat) { // a plane that is seen from its edge is nothing but that
        const lines = new THREE.LineSegments(new THREE.EdgesGeometry(g, 30), line);
        lines.frustumCulled = false;
        lines.renderOrder = 3;
        group.add(lines);
      }
      if (this.flat && wall.corner.length === 0 && wall.point.length >= 6) group.add(new THREE.Line(g, line));
      this.scene.add(group);
      return { group, mesh, line, material: m, endless: wall.endless };
    });
  }

  #lineMaterial(endless) {
    const e = this.info.extent, far = new THREE.Vector3(1e30, 1e30, 1e30);
    const pad = e ? 0.04 * Math.hypot(...e.lo.map((v, k) => e.hi[k] - v)) : 0, cut = endless && this.flat && e;
    return this.material(LINE_VERTEX, LINE_FRAGMENT, {
      transparent: true, depthWrite: false,
      uniforms: {
        tone: { value: rgb('#5d6670') }, strength: { value: this.flat ? 0.9 : 0.55 },
        fromCorner: { value: cut ? new THREE.Vector3(e.lo[0] - pad, e.lo[1] - pad, -1e30) : far.clone().negate() },
        toCorner: { value: cut ? new THREE.Vector3(e.hi[0] + pad, e.hi[1] + pad, 1e30) : far },
      },
    });
  }

  #makeCell() {
    this.cell = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ color: 0x7f8b97, transparent: true, opacity: 0.7 }));
    this.cell.frustumCulled = false;
    this.scene.add(this.cell);
  }

  // ---- a frame ----

  show(frame) {
    this.frame = frame;
    this.boxNow = null;
    const { array, head } = frame;
    if (this.fixedFor !== array.id) this.#fixed(array);
    this.#placeGrains(array, head.n);
    this.#placeModes();
    this.#placeBars(array);
    this.#placeWalls(head);
    this.#placeCell(head.cell);
    this.#exact();
    this.selectId(this.selectedId);
    this.draw();
  }

  // What rarely changes between frames: sizes, and which grain has which form.
  #fixed(array) {
    this.fixedFor = array.id;
    this.modeFor = undefined;
    this.clustered = array.parent?.some((p) => p >= 0) ?? false;
    const sorted = Float32Array.from(array.radius).filter((r) => r > 0).sort();
    this.medianRadius = sorted[sorted.length >> 1] || 1;
    this.ballRadius = Float32Array.from(array.radius);
    const list = [];
    for (let i = 0; this.outline.length && i < array.id.length; i++) {
      if (!(array.flags[i] & 32) || array.part[i] >= this.outline.length) continue;
      list.push(i);
      this.ballRadius[i] = 0;
    }
    this.#joinForms(list, array);
  }

  // One mesh of all grains with corners, at their size; how they are turned stands in a table.
  #joinForms(list, array) {
    const g = this.forms.geometry, of = (i) => this.outline[array.part[i]];
    const n = list.reduce((sum, i) => sum + of(i).position.length / 3, 0);
    this.forms.visible = n > 0;
    g.dispose();
    if (!n) return;
    const position = new Float32Array(3 * n), facing = new Int8Array(4 * n), border = new Uint8Array(4 * n), grain = new Float32Array(n);
    let at = 0;
    for (const i of list) {
      const form = of(i), m = form.position.length / 3, r = array.radius[i];
      for (let k = 0; k < 3 * m; k++) position[3 * at + k] = r * form.position[k];
      facing.set(form.facing, 4 * at);
      border.set(form.border, 4 * at);
      grain.fill(i, at, at + m);
      at += m;
    }
    g.setAttribute('position', new THREE.BufferAttribute(position, 3));
    g.setAttribute('facing', new THREE.BufferAttribute(facing, 4, true));
    g.setAttribute('border', new THREE.BufferAttribute(border, 4, true));
    g.setAttribute('grain', new THREE.BufferAttribute(grain, 1));
  }

  #placeGrains(array, n) {
    const { x, q, value } = array, radius = this.ballRadius, place = this.table.placeOf.room(n);
    for (let i = 0, j = 0, k = 0; i < n; i++, j += 3, k += 4) {
      place[k] = x[j];
      place[k + 1] = x[j + 1];
      place[k + 2] = x[j + 2];
      place[k + 3] = radius[i];
    }
    if (value) this.table.valueOf.room(n).set(value); else this.table.valueOf.room(n).fill(NaN);
    if (this.forms.visible) {
      const turn = this.table.turnOf.room(n); // x y z w; in the file w x y z, whole numbers of 1/32767
      for (let k = 0; k < 4 * n; k += 4) {
        for (let c = 0; c < 3; c++) turn[k + c] = q[k + 1 + c] / 32767;
        turn[k + 3] = q[k] / 32767;
      }
    }
    this.balls.geometry.setDrawRange(0, 3 * n);
    this.balls.visible = n > 0;
  }

  #placeModes() {
    if (this.modeFor === this.mode) return;
    this.modeFor = this.mode;
    if (!this.mode) return;
    const { id, parent } = this.frame.array, u = this.modeOf(id, parent), out = this.table.modeOf.room(id.length);
    for (let i = 0; i < id.length; i++) for (let c = 0; c < 3; c++) out[4 * i + c] = u[3 * i + c];
  }

  #placeBars(array) {
    const ends = array['contact.line'], force = array['contact.force'];
    this.bars.visible = !!ends && ends.length > 0;
    if (!this.bars.visible) return;
    const n = ends.length / 6, from = this.table.fromOf.room(n), to = this.table.toOf.room(n);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < 3; k++) {
        from[4 * i + k] = ends[6 * i + k];
        to[4 * i + k] = ends[6 * i + 3 + k];
      }
      from[4 * i + 3] = force[i];
    }
    // the force that 98 % are below, of some thousand where there are many
    const some = [];
    for (let i = 0; i < n; i += Math.ceil(n / 8000)) some.push(force[i]);
    const sorted = Float32Array.from(some).sort(), { scale, width } = this.bars.material.uniforms;
    this.forceScale = sorted[Math.floor(0.98 * (sorted.length - 1))] || 1;
    scale.value = this.forceScale;
    width.value = 0.65 * this.medianRadius;
    this.bars.geometry.setDrawRange(0, BAR_CORNERS * n);
  }

  // Whether balls cut into something that is drawn: each other, grains with corners, bars.
  #exact() {
    const wanted = !this.flat && (this.clustered || this.bars.visible || this.frame.head.n <= 2000);
    const m = this.balls.material;
    if (wanted === 'EXACT' in m.defines) return;
    m.defines = wanted ? { EXACT: '' } : {};
    m.needsUpdate = true;
  }

  #placeWalls(head) {
    const endless = this.walls.some((w) => w.endless);
    const box = endless ? this.box() : null, reach = endless ? 0.8 * Math.max(box.size, 1e-12) : 0;
    this.walls.forEach((w, i) => {
      const s = head.walls[i];
      w.group.visible = !!s && !s.absent && this.showWalls !== false;
      if (!s) return;
      w.group.matrix.compose(vec(s.x), new THREE.Quaternion(s.q[1], s.q[2], s.q[3], s.q[0]),
        new THREE.Vector3(1, 1, 1));
      w.group.matrixWorldNeedsUpdate = true;
      if (w.endless) w.material.uniforms.middle.value.copy(box.middle);
      w.material.uniforms.reach.value = w.endless ? reach : 0;
    });
  }

  #placeCell(cell) {
    this.cell.visible = !!cell;
    if (!cell) return;
    const o = vec(cell.origin), e = cell.edges.map(vec), points = [];
    const corner = (a, b, c) => o.clone().addScaledVector(e[0], a).addScaledVector(e[1], b).addScaledVector(e[2], c);
    for (let d = 0; d < 3; d++) {
      for (let s = 0; s < 4; s++) {
        const c = [0, 0, 0];
        c[(d + 1) % 3] = s & 1;
        c[(d + 2) % 3] = s >> 1;
        const p = corner(...c);
        c[d] = 1;
        points.push(p, corner(...c));
      }
    }
    this.cell.geometry.setFromPoints(points);
  }

  // ---- colours ----

  colours(field, palette, classes) {
    const kind = { number: 0, class: 1, plain: 2 }[field.kind];
    const stops = kind === 1 ? classes : palette.stops;
    const data = new Uint8Array(4 * stops.length);
    stops.forEach((hex, i) => {
      const c = parseInt(hex.slice(1), 16);
      data.set([c >> 16 & 255, c >> 8 & 255, c & 255, 255], 4 * i);
    });
    const texture = new THREE.DataTexture(data, stops.length, 1);
    texture.minFilter = texture.magFilter = kind === 1 ? THREE.NearestFilter : THREE.LinearFilter;
    texture.needsUpdate = true;
    this.shared.ramp.value?.dispose();
    this.shared.ramp.value = texture;
    this.shared.rampSize.value = stops.length;
    this.shared.kind.value = kind;
    this.kind = kind;
  }

  range(lo, hi) {
    this.shared.lo.value = this.kind === 1 ? 0 : lo;
    this.shared.hi.value = this.kind === 1 ? 1 : hi;
    this.draw();
  }

  background(hex, dark) {
    this.renderer.setClearColor(new THREE.Color().setStyle(hex, THREE.LinearSRGBColorSpace), 1);
    for (const w of this.walls) {
      w.material.uniforms.tone.value.copy(rgb(dark ? '#a9b6c2' : '#6f7d8a'));
      w.line.uniforms.tone.value.copy(rgb(dark ? '#aab6c1' : '#5d6670'));
    }
    this.cell.material.color.setStyle(dark ? '#aab6c1' : '#5d6670', THREE.LinearSRGBColorSpace);
    this.shared.outline.value.copy(rgb(dark ? '#d5dde4' : '#14181c'));
    this.draw();
  }

  // ---- what moves as a mode ----

  setMode(mode) {
    this.mode = mode;
    if (this.frame) this.show(this.frame);
  }

  modeOf(id, parent) {
    const out = new Float32Array(3 * id.length);
    if (!this.mode) return out;
    for (let i = 0; i < id.length; i++) {
      const u = this.mode.get(id[i]) ?? this.mode.get(parent?.[i]); // spheres go with their cluster
      if (u) out.set(u, 3 * i);
    }
    return out;
  }

  sway(amplitude) {
    this.shared.amplitude.value = amplitude;
    this.draw();
  }

  // ---- camera ----

  /** Box of the grains: middle, largest extent, corners. */
  box() {
    if (!this.frame) return { middle: new THREE.Vector3(), size: 1, lo: [0, 0, 0], hi: [1, 1, 1] };
    if (this.boxNow) return this.boxNow;
    const { x, radius } = this.frame.array, n = this.frame.head.n;
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < 3; k++) {
        const c = x[3 * i + k], r = radius[i];
        if (c - r < lo[k]) lo[k] = c - r;
        if (c + r > hi[k]) hi[k] = c + r;
      }
    }
    if (this.info.extent && !(n > 0)) { this.info.extent.lo.forEach((v, k) => { lo[k] = v; hi[k] = this.info.extent.hi[k]; }); }
    if (!Number.isFinite(lo[0] + hi[0] + lo[1] + hi[1] + lo[2] + hi[2])) { lo.fill(-0.5); hi.fill(0.5); }
    const middle = vec(lo.map((v, k) => (v + hi[k]) / 2));
    this.boxNow = { middle, size: Math.hypot(...lo.map((v, k) => hi[k] - v)), lo, hi };
    return this.boxNow;
  }

  /** All of the run in view, or this frame alone, from a direction: 'front', 'side', 'top' or what it is now. */
  fit(from, alone = false) {
    const e = alone ? null : this.info.extent;
    const box = e ? { middle: vec(e.lo.map((v, k) => (v + e.hi[k]) / 2)), size: Math.hypot(...e.lo.map((v, k) => e.hi[k] - v)), lo: e.lo, hi: e.hi } : { ...this.box(), middle: this.box().middle.clone() };
    const size = Math.max(box.size, 1e-9);
    if (this.flat) {
      const wide = this.canvas.clientWidth, tall = Math.max(this.canvas.clientHeight, 1), aspect = wide / tall;
      const left = wide > 480 ? wide - LEGEND : wide; // the legend stands beside, not before the grains
      const h = 1.12 * Math.max(box.hi[1] - box.lo[1], (box.hi[0] - box.lo[0]) * tall / left, 1e-9) / 2;
      this.camera.zoom = 1;
      Object.assign(this.camera, { left: -h * aspect, right: h * aspect, top: h, bottom: -h, near: size / 100, far: 100 * size });
      box.middle.x += (wide - left) * h / tall;
      this.camera.position.set(box.middle.x, box.middle.y, 10 * size);
      this.half = h;
    } else {
      const way = {
        front: [0, -1, 0.0001], side: [1, 0, 0.0001], top: [0, -0.0001, 1], corner: [0.62, -0.72, 0.42],
      }[from] ?? (this.placed ? this.camera.position.clone().sub(this.controls.target).toArray() : [0.62, -0.72, 0.42]);
      this.#stepBack(box, vec(way).normalize());
      this.camera.near = size / 500;
      this.camera.far = 60 * size;
    }
    if (this.flat) this.controls.target.copy(box.middle);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.placed = true;
    this.draw();
  }

  // As near as shows all corners of the box, beside the legend and below the title.
  #stepBack(box, way) {
    const w = Math.max(this.canvas.clientWidth, 1), h = Math.max(this.canvas.clientHeight, 1);
    const up = Math.tan(this.camera.fov / 2 * Math.PI / 180), across = up * w / h;
    const right = w > 480 ? 1 - 2 * LEGEND / w : 0.94, top = 1 - 2 * Math.min(40 / h, 0.2), left = 0.94, bottom = 0.94;
    this.camera.position.copy(box.middle).add(way);
    this.camera.lookAt(box.middle);
    this.camera.updateMatrixWorld();
    const turn = this.camera.quaternion.clone().invert(), corners = [];
    for (let k = 0; k < 8; k++)
      corners.push(vec([0, 1, 2].map((c) => (k >> c & 1 ? box.hi[c] : box.lo[c]))).sub(box.middle).applyQuaternion(turn));
    // at a distance d the corner (x, y, z) is seen at x/(d-z); the window may be shifted (sx, sy)
    const fits = (d) => {
      const edge = [Infinity, -Infinity, Infinity, -Infinity];
      for (const c of corners) {
        const depth = d - c.z;
        if (depth <= 0.05 * d) return null;
        edge[0] = Math.min(edge[0], c.x / depth / across);
        edge[1] = Math.max(edge[1], c.x / depth / across);
        edge[2] = Math.min(edge[2], c.y / depth / up);
        edge[3] = Math.max(edge[3], c.y / depth / up);
      }
      return edge[1] - edge[0] <= left + right && edge[3] - edge[2] <= top + bottom ? edge : null;
    };
    let near = 0.01 * box.size, far = 100 * box.size;
    for (let k = 0; k < 60; k++) {
      const mid = Math.sqrt(near * far);
      if (fits(mid)) far = mid; else near = mid;
    }
    const e = fits(far), shift = new THREE.Vector3(
      ((e[0] + e[1]) / 2 - (right - left) / 2) * far * across, ((e[2] + e[3]) / 2 - (top - bottom) / 2) * far * up, 0);
    const target = box.middle.clone().add(shift.applyQuaternion(this.camera.quaternion));
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(way, far);
  }

  resize() {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w || !h || (w === this.width && h === this.height)) return;
    this.width = w;
    this.height = h;
    this.renderer.setSize(w, h, false);
    if (this.flat) {
      const half = this.half ?? 1;
      Object.assign(this.camera, { left: -half * w / h, right: half * w / h, top: half, bottom: -half });
    } else {
      this.camera.aspect = w / h;
    }
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  cameraState() {
    const f = (v) => v.toArray().map((c) => +c.toPrecision(6)).join(',');
    return f(this.camera.position) + ';' + f(this.controls.target) + (this.flat ? ';' + +this.camera.zoom.toPrecision(5) : '');
  }

  setCamera(text) {
    const [p, t, zoom] = text.split(';').map((s) => s.split(',').map(Number));
    if (!p || !t || [...p, ...t].some((c) => !Number.isFinite(c)) || p.length !== 3 || t.length !== 3) return;
    this.camera.position.fromArray(p);
    this.controls.target.fromArray(t);
    if (zoom && zoom[0] > 0) this.camera.zoom = zoom[0];
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.placed = true;
    this.draw();
  }

  /** Where x, y, z point in the picture, and the length of a pixel at what is turned about. */
  bearings() {
    const e = this.camera.matrixWorldInverse.elements, tall = Math.max(this.canvas.clientHeight, 1);
    const high = this.flat ? 2 * (this.half ?? 1) / this.camera.zoom
      : 2 * this.camera.position.distanceTo(this.controls.target) * Math.tan(this.camera.fov / 2 * Math.PI / 180);
    return { directions: [0, 4, 8].map((k) => [e[k], e[k + 1], e[k + 2]]), perPixel: high / tall };
  }

  shift(d) {
    this.camera.position.add(d);
    this.controls.target.add(d);
    this.controls.update();
  }

  // ---- picking ----

  indexOf(id) {
    const list = this.frame?.array.id ?? []; // in order
    let lo = 0, hi = list.length - 1;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (list[mid] < id) lo = mid + 1; else hi = mid;
    }
    return list[lo] === id ? lo : -1;
  }

  selectId(id) {
    this.selectedId = id ?? -1;
    this.shared.selected.value = this.selectedId >= 0 ? this.indexOf(this.selectedId) : -1;
    this.draw();
  }

  /** Number (id) of the grain at a point of the canvas; -1: none. */
  pick(px, py) {
    if (!this.frame) return -1;
    const ndc = new THREE.Vector2(2 * px / this.canvas.clientWidth - 1, 1 - 2 * py / this.canvas.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(ndc, this.camera);
    const o = ray.ray.origin, d = ray.ray.direction;
    const { x, radius, id, flags } = this.frame.array;
    const lo = this.shared.clipLo.value, hi = this.shared.clipHi.value;
    let best = Infinity, found = -1;
    for (let i = 0; i < this.frame.head.n; i++) {
      const cx = x[3 * i], cy = x[3 * i + 1], cz = x[3 * i + 2];
      if (cx < lo.x || cy < lo.y || cz < lo.z || cx > hi.x || cy > hi.y || cz > hi.z) continue;
      const r = radius[i];
      const ox = o.x - cx, oy = o.y - cy, oz = o.z - cz;
      const b = ox * d.x + oy * d.y + oz * d.z;
      const h = b * b - (ox * ox + oy * oy + oz * oz) + r * r * (flags[i] & 32 ? 4 : 1);
      if (h < 0) continue;
      let t = -b - Math.sqrt(h);
      if (flags[i] & 32) t = this.#formHit(i, o, d);
      if (t < best) { best = t; found = id[i]; }
    }
    return found;
  }

  // Where a ray enters a grain with corners; Infinity: not at all.
  #formHit(i, o, d) {
    const { x, radius, q, part } = this.frame.array, form = this.info.forms[part[i]];
    if (!form) return Infinity;
    const turn = new THREE.Quaternion(-q[4 * i + 1], -q[4 * i + 2], -q[4 * i + 3], q[4 * i]).normalize();
    const from = o.clone().sub(new THREE.Vector3(x[3 * i], x[3 * i + 1], x[3 * i + 2])).applyQuaternion(turn).divideScalar(radius[i]);
    const way = d.clone().applyQuaternion(turn).divideScalar(radius[i]);
    let best = Infinity;
    for (const convex of form) {
      let enter = -Infinity, leave = Infinity;
      for (let f = 0; f < convex.plane.length; f += 4) {
        const [a, b, c, e] = convex.plane.slice(f, f + 4);
        const along = a * way.x + b * way.y + c * way.z, over = e - (a * from.x + b * from.y + c * from.z);
        if (Math.abs(along) < 1e-30) { if (over < 0) leave = -Infinity; continue; }
        const t = over / along;
        if (along < 0) enter = Math.max(enter, t); else leave = Math.min(leave, t);
      }
      if (enter <= leave) best = Math.min(best, this.flat ? 0 : enter);
    }
    return best;
  }

  place(id) {
    const i = this.indexOf(id);
    return i < 0 ? null : new THREE.Vector3().fromArray(this.frame.array.x, 3 * i);
  }

  // ---- drawing ----

  draw() {
    if (this.ask) return;
    this.ask = true;
    requestAnimationFrame(() => this.#turn());
  }

  // Where pictures take long (no graphics processor, or a small one) they are coarse while something
  // moves, and sharp when it rests; at most two are under way, so that none waits behind many.
  #turn() {
    this.ask = false;
    if (this.underway >= 2) { this.late = true; return; }
    this.#paint(this.#sharpness());
  }

  #sharpness() {
    if (this.sharpCost === undefined) return this.frame && this.frame.head.n > 5000 ? 0.5 : 1; // not known yet
    return this.sharpCost < SLOW ? 1 : Math.max(0.34, Math.sqrt(SLOW / this.sharpCost));
  }

  drawNow() {
    this.#paint(1);
  }

  #paint(sharpness) {
    const ratio = sharpness * Math.min(window.devicePixelRatio || 1, 2);
    if (Math.abs(this.renderer.getPixelRatio() - ratio) > 0.02 * ratio) this.renderer.setPixelRatio(ratio);
    this.camera.updateMatrixWorld();
    this.shared.upward.value.set(0, this.flat ? 1 : 0, this.flat ? 0 : 1)
      .transformDirection(this.camera.matrixWorldInverse);
    this.renderer.render(this.scene, this.camera);
    this.seen?.();
    this.#await(sharpness);
    clearTimeout(this.rest);
    if (sharpness < 1) this.rest = setTimeout(() => this.#paint(1), REST);
  }

  // The first sharp picture also makes programs of the shaders, and a machine may be busy for a moment:
  // what is shorter is believed at once, what is longer little by little.
  #learn(took) {
    const first = this.sharpCost === undefined;
    this.sharpCost = first || took < this.sharpCost ? took : 0.7 * this.sharpCost + 0.3 * took;
    if (first && took > SLOW) this.rest = setTimeout(() => this.#paint(1), REST);
  }

  // Counts pictures that are done, and what a sharp one takes.
  #await(sharpness) {
    const gl = this.renderer.getContext(), begun = performance.now();
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    this.underway++;
    const look = () => {
      if (gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED && !gl.isContextLost()) { setTimeout(look, 3); return; }
      gl.deleteSync(fence);
      this.underway--;
      this.drawn++;
      const took = performance.now() - begun;
      if (sharpness === 1) this.#learn(took);
      if (this.late) { this.late = false; this.draw(); }
    };
    setTimeout(look, 0);
  }
}
