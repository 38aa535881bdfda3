// SPDX-License-Identifier: GPL-3.0-or-later
// Grains, walls, contacts in space. Balls are squares that face the camera and find the ball in each
// of their pixels, so that one costs two triangles and is round at any size; grains with corners are
// instances of one mesh per form; contacts are instances of one bar.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const COMMON = /* glsl */ `
  uniform vec3 clipLo, clipHi;
  uniform float amplitude;
  uniform float lo, hi;
  uniform int selected;
  bool cutAway(vec3 p) { return any(lessThan(p, clipLo)) || any(greaterThan(p, clipHi)); }
`;
const COLOUR = /* glsl */ `
  uniform sampler2D ramp;
  uniform float rampSize;
  uniform int kind; // 0 number, 1 class, 2 one colour
  uniform vec3 plain;
  vec3 colourOf(float t, float isKnown) {
    if (kind == 2 || isKnown < 0.5) return plain;
    if (kind == 1) return texture2D(ramp, vec2((mod(t, rampSize) + 0.5) / rampSize, 0.5)).rgb;
    float s = clamp(t, 0.0, 1.0) * (rampSize - 1.0);
    return texture2D(ramp, vec2((s + 0.5) / rampSize, 0.5)).rgb;
  }
`;
// One lamp beside the camera, some light from above, sRGB at the end.
const LIGHT = /* glsl */ `
  uniform vec3 upward;
  vec3 lit(vec3 base, vec3 n) {
    float lamp = max(dot(n, normalize(vec3(-0.35, 0.45, 0.82))), 0.0);
    float sky = 0.5 + 0.5 * dot(n, upward);
    vec3 linear = pow(base, vec3(2.2)) * (0.22 + 0.24 * sky + 0.66 * lamp);
    return pow(linear, vec3(1.0 / 2.2));
  }
`;
const QUAT = /* glsl */ `
  vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

const BALL_VERTEX = /* glsl */ `
  ${COMMON}
  attribute vec3 corner;
  attribute vec4 ball;  // centre, radius
  attribute float value;
  attribute vec3 mode;
  varying vec3 at, centre;
  varying float r, t, known;
  varying float chosen;
  void main() {
    vec3 p = ball.xyz + amplitude * mode;
    r = ball.w;
    known = value == value && abs(value) < 1e37 ? 1.0 : 0.0;
    t = (value - lo) / (hi - lo);
    chosen = gl_InstanceID == selected ? 1.0 : 0.0;
    centre = (viewMatrix * vec4(p, 1.0)).xyz;
    if (cutAway(p) || !(r > 0.0)) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    bool flatView = projectionMatrix[3][3] == 1.0;
    vec3 z = flatView ? vec3(0.0, 0.0, 1.0) : -normalize(centre);
    float d = length(centre);
    float size = flatView ? r : r * d / sqrt(max(d * d - r * r, 1e-6 * d * d));
    if (chosen > 0.5) size *= 1.18;
    vec3 x = normalize(cross(abs(z.y) < 0.99 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), z));
    vec3 y = cross(z, x);
    at = centre + size * (corner.x * x + corner.y * y);
    gl_Position = projectionMatrix * vec4(at, 1.0);
  }
`;
const BALL_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform bool disks;
  uniform vec3 rim;
  uniform mat4 lens; // projection
  ${COLOUR} ${LIGHT}
  varying vec3 at, centre;
  varying float r, t, known;
  varying float chosen;
  void main() {
    bool flatView = lens[3][3] == 1.0;
    vec3 dir = flatView ? vec3(0.0, 0.0, -1.0) : normalize(at);
    vec3 from = flatView ? vec3(at.xy, 0.0) : vec3(0.0);
    vec3 oc = from - centre;
    float b = dot(oc, dir), c = dot(oc, oc) - r * r, h = b * b - c;
    if (h < 0.0) {
      // a ring about the grain that was picked
      float far = sqrt(max(dot(oc, oc) - b * b, 0.0));
      if (chosen < 0.5 || far > 1.14 * r) discard;
      vec4 edge = lens * vec4(centre, 1.0);
      gl_FragDepth = 0.5 + 0.5 * edge.z / edge.w;
      gl_FragColor = vec4(rim, 1.0);
      return;
    }
    float s = sqrt(h);
    vec3 p = from + (-b - s) * dir;
    vec3 n = (p - centre) / r;
    vec3 base = colourOf(t, known);
    if (disks) {
      float edge = 1.0 - smoothstep(0.86, 0.93, length(n.xy));
      gl_FragColor = vec4(mix(base * 0.45, base, edge), 1.0);
      p = centre;
    } else {
      gl_FragColor = vec4(lit(base, n), 1.0);
    }
    if (chosen > 0.5) gl_FragColor.rgb = mix(gl_FragColor.rgb, rim, 0.25);
    vec4 place = lens * vec4(p, 1.0);
    gl_FragDepth = 0.5 + 0.5 * place.z / place.w;
  }
`;
const FORM_VERTEX = /* glsl */ `
  ${COMMON} ${QUAT}
  attribute vec4 ball;
  attribute vec4 turn;
  attribute float value;
  attribute vec3 mode;
  attribute float number;
  attribute vec3 border;
  varying vec3 n, inner;
  varying float t, known, chosen;
  void main() {
    inner = border;
    vec3 centre = ball.xyz + amplitude * mode;
    t = (value - lo) / (hi - lo);
    known = value == value && abs(value) < 1e37 ? 1.0 : 0.0;
    chosen = int(number) == selected ? 1.0 : 0.0;
    n = normalize((viewMatrix * vec4(turned(turn, normal), 0.0)).xyz);
    gl_Position = cutAway(centre) ? vec4(2.0, 2.0, 2.0, 1.0)
        : projectionMatrix * viewMatrix * vec4(centre + ball.w * turned(turn, position), 1.0);
  }
`;
const FORM_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform vec3 rim, outline;
  uniform bool disks;
  ${COLOUR} ${LIGHT}
  varying vec3 n, inner;
  varying float t, known, chosen;
  void main() {
    vec3 base = colourOf(t, known);
    vec3 c = disks ? base : lit(base, normalize(n));
    if (disks) { // an outline as wide as a pixel: stones beside each other stay two
      vec3 far = inner / max(fwidth(inner), vec3(1e-6));
      c = mix(mix(outline, base, 0.35), c, smoothstep(0.6, 1.6, min(min(far.x, far.y), far.z)));
    }
    gl_FragColor = vec4(chosen > 0.5 ? mix(c, rim, 0.6) : c, 1.0);
  }
`;
const BAR_VERTEX = /* glsl */ `
  uniform vec3 clipLo, clipHi;
  uniform float width, scale, weakest;
  attribute vec3 a, b;
  attribute float force;
  varying vec3 n;
  varying float s;
  void main() {
    s = clamp(force / scale, 0.0, 1.0);
    vec3 along = b - a, mid = 0.5 * (a + b);
    vec3 z = normalize(along);
    vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
    vec3 y = cross(z, x);
    float r = 0.5 * width * sqrt(s);
    vec3 side = position.x * x + position.y * y;
    vec3 p = a + position.z * along + r * side;
    bool gone = s < weakest || any(lessThan(mid, clipLo)) || any(greaterThan(mid, clipHi));
    n = normalize((viewMatrix * vec4(side, 0.0)).xyz);
    gl_Position = gone ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * viewMatrix * vec4(p, 1.0);
  }
`;
const BAR_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform vec3 weak, strong;
  ${LIGHT}
  varying vec3 n;
  varying float s;
  void main() { gl_FragColor = vec4(lit(mix(weak, strong, s), normalize(n)), 1.0); }
`;
const WALL_VERTEX = /* glsl */ `
  varying vec3 n, place;
  void main() {
    vec4 p = modelMatrix * vec4(position, 1.0);
    place = p.xyz;
    n = normalize(mat3(viewMatrix) * mat3(modelMatrix) * normal);
    gl_Position = projectionMatrix * viewMatrix * p;
  }
`;
const WALL_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform vec3 clipLo, clipHi, middle, tone;
  uniform float opacity, reach; // reach > 0: an endless wall fades out there
  varying vec3 n, place;
  void main() {
    if (any(lessThan(place, clipLo)) || any(greaterThan(place, clipHi))) discard;
    float fade = reach > 0.0 ? 1.0 - smoothstep(0.55 * reach, reach, distance(place, middle)) : 1.0;
    if (fade < 0.01) discard;
    float facing = abs(normalize(n).z);
    gl_FragColor = vec4(tone * (0.7 + 0.3 * facing), opacity * fade * (0.65 + 0.7 * (1.0 - facing)));
  }
`;

const vec = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const rgb = (hex) => {
  const c = parseInt(hex.slice(1), 16);
  return new THREE.Vector3((c >> 16 & 255) / 255, (c >> 8 & 255) / 255, (c & 255) / 255);
};

const LEGEND = 110; // pixels that the legend takes

export class Scene {
  constructor(canvas, info) {
    this.canvas = canvas;
    this.info = info;
    this.flat = info.dimension === 2;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
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
      lens: { value: this.camera.projectionMatrix },
    };
    this.#makeBalls();
    this.#makeForms();
    this.#makeBars();
    this.#makeWalls();
    this.#makeCell();
    this.frame = null;
    this.ask = false;
  }

  material(vertexShader, fragmentShader, more = {}) {
    return new THREE.ShaderMaterial({
      vertexShader, fragmentShader, uniforms: { ...this.shared, ...(more.uniforms ?? {}) },
      side: more.side ?? THREE.FrontSide, transparent: more.transparent ?? false,
      depthWrite: more.depthWrite ?? true,
    });
  }

  #makeBalls() {
    const g = new THREE.InstancedBufferGeometry();
    g.setAttribute('corner', new THREE.BufferAttribute(
      new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    g.setIndex([0, 1, 2, 0, 2, 3]);
    const m = this.material(BALL_VERTEX, BALL_FRAGMENT, { side: THREE.DoubleSide });
    this.balls = this.#mesh(g, m);
  }

  #mesh(g, m) {
    const mesh = new THREE.Mesh(g, m);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  #makeForms() {
    this.forms = this.info.forms.map((form) => {
      // border: 0 at the side of a triangle that is a side of the face, 1 elsewhere; parts of a form
      // that is not convex have sides within it, and get none
      const position = [], normal = [], border = [], whole = form.length === 1;
      for (const part of form) {
        const p = (i) => vec(part.point.slice(3 * i, 3 * i + 3));
        for (const face of part.faces) {
          const a = p(face[0]);
          for (let k = 1; k + 1 < face.length; k++) {
            const b = p(face[k]), c = p(face[k + 1]);
            const n = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
            const sides = [whole, whole && k + 2 === face.length, whole && k === 1];
            [a, b, c].forEach((q, at) => {
              position.push(q.x, q.y, q.z);
              normal.push(n.x, n.y, n.z);
              border.push(...sides.map((is, side) => (is && side !== at ? 0 : 1)));
            });
          }
        }
      }
      const g = new THREE.InstancedBufferGeometry();
      g.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
      g.setAttribute('normal', new THREE.Float32BufferAttribute(normal, 3));
      g.setAttribute('border', new THREE.Float32BufferAttribute(border, 3));
      return this.#mesh(g, this.material(FORM_VERTEX, FORM_FRAGMENT, { side: THREE.DoubleSide }));
    });
  }

  #makeBars() {
    const tube = new THREE.CylinderGeometry(1, 1, 1, 7, 1, true);
    tube.rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const g = new THREE.InstancedBufferGeometry();
    g.index = tube.index;
    g.setAttribute('position', tube.getAttribute('position'));
    this.bars = this.#mesh(g, this.material(BAR_VERTEX, BAR_FRAGMENT, {
      side: THREE.DoubleSide,
      uniforms: {
        width: { value: 1 }, scale: { value: 1 }, weakest: { value: 0 },
        weak: { value: rgb('#8fb3c9') }, strong: { value: rgb('#c0341d') },
      },
    }));
    this.bars.visible = false;
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
      if (!wall.endless || this.flat) { // a plane that is seen from its edge is nothing but that
        const lines = new THREE.LineSegments(new THREE.EdgesGeometry(g, 30),
          new THREE.LineBasicMaterial({ color: 0x7f8b97, transparent: true, opacity: 0.55 }));
        lines.frustumCulled = false;
        lines.renderOrder = 3;
        group.add(lines);
      }
      if (this.flat && wall.corner.length === 0 && wall.point.length >= 6)
        group.add(new THREE.Line(g, new THREE.LineBasicMaterial({ color: 0x5d6670 })));
      this.scene.add(group);
      return { group, mesh, material: m, endless: wall.endless };
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
    const { array, head } = frame;
    const n = head.n, ball = new Float32Array(4 * n);
    const form = this.forms.map(() => []);
    for (let i = 0; i < n; i++) {
      ball[4 * i] = array.x[3 * i];
      ball[4 * i + 1] = array.x[3 * i + 1];
      ball[4 * i + 2] = array.x[3 * i + 2];
      ball[4 * i + 3] = array.radius[i];
    }
    if (this.forms.length) {
      for (let i = 0; i < n; i++) {
        if (array.flags[i] & 32 && array.part[i] < this.forms.length) {
          form[array.part[i]].push(i);
          ball[4 * i + 3] = 0;
        }
      }
    }
    this.ball = ball;
    const value = array.value ?? new Float32Array(n).fill(NaN);
    const mode = this.modeOf(array.id, array.parent);
    this.#instances(this.balls, { ball: [ball, 4], value: [value, 1], mode: [mode, 3] }, n);
    form.forEach((list, k) => this.#placeForm(k, list, array, value, mode));
    this.#placeBars(array);
    this.#placeWalls(head);
    this.#placeCell(head.cell);
    this.selectId(this.selectedId);
    this.draw();
  }

  #instances(mesh, attributes, n) {
    const g = mesh.geometry;
    for (const [name, [data, width]] of Object.entries(attributes)) {
      const old = g.getAttribute(name);
      if (old && old.array.length === data.length) {
        old.array = data;
        old.needsUpdate = true;
      } else {
        g.setAttribute(name, new THREE.InstancedBufferAttribute(data, width));
      }
    }
    g.instanceCount = n;
    mesh.visible = n > 0;
  }

  #placeForm(k, list, array, value, mode) {
    const n = list.length, ball = new Float32Array(4 * n), turn = new Float32Array(4 * n);
    const v = new Float32Array(n), m = new Float32Array(3 * n), number = new Float32Array(n);
    list.forEach((i, j) => {
      ball.set([array.x[3 * i], array.x[3 * i + 1], array.x[3 * i + 2], array.radius[i]], 4 * j);
      const q = array.q; // w x y z, whole numbers of 1/32767
      turn.set([q[4 * i + 1], q[4 * i + 2], q[4 * i + 3], q[4 * i]].map((c) => c / 32767), 4 * j);
      v[j] = value[i];
      m.set([mode[3 * i], mode[3 * i + 1], mode[3 * i + 2]], 3 * j);
      number[j] = i;
    });
    this.#instances(this.forms[k], {
      ball: [ball, 4], turn: [turn, 4], value: [v, 1], mode: [m, 3], number: [number, 1],
    }, n);
  }

  #placeBars(array) {
    const ends = array['contact.line'];
    if (!ends) { this.bars.visible = false; return; }
    const n = ends.length / 6, a = new Float32Array(3 * n), b = new Float32Array(3 * n);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < 3; k++) {
        a[3 * i + k] = ends[6 * i + k];
        b[3 * i + k] = ends[6 * i + 3 + k];
      }
    }
    const force = array['contact.force'];
    const sorted = Float32Array.from(force).sort();
    this.forceScale = n > 0 ? sorted[Math.floor(0.98 * (n - 1))] || 1 : 1;
    this.bars.material.uniforms.scale.value = this.forceScale;
    const radii = Float32Array.from(array.radius).filter((r) => r > 0).sort();
    this.bars.material.uniforms.width.value = 0.8 * (radii[radii.length >> 1] ?? 1);
    this.#instances(this.bars, { a: [a, 3], b: [b, 3], force: [force, 1] }, n);
  }

  #placeWalls(head) {
    const box = this.box(), reach = 0.8 * Math.max(box.size, 1e-12);
    this.walls.forEach((w, i) => {
      const s = head.walls[i];
      w.group.visible = !!s && !s.absent && this.showWalls !== false;
      if (!s) return;
      w.group.matrix.compose(vec(s.x), new THREE.Quaternion(s.q[1], s.q[2], s.q[3], s.q[0]),
        new THREE.Vector3(1, 1, 1));
      w.group.matrixWorldNeedsUpdate = true;
      w.material.uniforms.middle.value.copy(box.middle);
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
    for (const w of this.walls) w.material.uniforms.tone.value.copy(rgb(dark ? '#a9b6c2' : '#6f7d8a'));
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
    return { middle, size: Math.hypot(...lo.map((v, k) => hi[k] - v)), lo, hi };
  }

  /** Everything in view, from a direction: 'front', 'side', 'top' or what it is now. */
  fit(from) {
    const e = this.info.extent;
    const box = e ? { middle: vec(e.lo.map((v, k) => (v + e.hi[k]) / 2)), size: Math.hypot(...e.lo.map((v, k) => e.hi[k] - v)), lo: e.lo, hi: e.hi } : this.box();
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
      const distance = 0.5 * size / Math.sin(this.camera.fov / 2 * Math.PI / 180) * 1.02;
      const aspect = Math.min(1, this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1));
      this.camera.position.copy(box.middle).add(vec(way).normalize().multiplyScalar(distance / Math.max(aspect, 0.3)));
      this.camera.near = size / 500;
      this.camera.far = 60 * size;
    }
    this.controls.target.copy(box.middle);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.placed = true;
    this.draw();
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

  shift(d) {
    this.camera.position.add(d);
    this.controls.target.add(d);
    this.controls.update();
  }

  // ---- picking ----

  indexOf(id) {
    return this.frame ? this.frame.array.id.indexOf(id) : -1;
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
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    this.ask = false;
    this.camera.updateMatrixWorld();
    this.shared.upward.value.set(0, this.flat ? 1 : 0, this.flat ? 0 : 1)
      .transformDirection(this.camera.matrixWorldInverse);
    this.renderer.render(this.scene, this.camera);
    this.drawn = (this.drawn ?? 0) + 1;
  }
}
