// SPDX-License-Identifier: GPL-3.0-or-later
// How grains, contacts and walls get onto the screen. Numbers of grains and contacts stand in tables
// (textures), a row each; a corner knows by its number whose it is and looks there. So all balls are one
// call, all grains with corners one, all contacts one, and a frame sends nothing but its own numbers.

export const ROW = 1024; // rows of a table beside each other

const COMMON = /* glsl */ `
  uniform vec3 clipLo, clipHi;
  uniform float amplitude;
  uniform float lo, hi;
  uniform int selected;
  uniform sampler2D placeOf, valueOf, modeOf; // middle and radius; what is coloured; motion of a mode
  vec4 row(sampler2D table, int i) { return texelFetch(table, ivec2(i % ${ROW}, i / ${ROW}), 0); }
  vec3 swayed(vec3 p, int i) { return amplitude == 0.0 ? p : p + amplitude * row(modeOf, i).xyz; }
  bool cutAway(vec3 p) { return any(lessThan(p, clipLo)) || any(greaterThan(p, clipHi)); }
  const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
`;
// The colour of a grain is found once for each corner, not for each pixel.
const COLOUR = /* glsl */ `
  uniform sampler2D ramp;
  uniform float rampSize;
  uniform int kind; // 0 number, 1 class, 2 one colour
  uniform vec3 plain;
  vec3 colourOf(float value) {
    if (kind == 2 || !(value == value && abs(value) < 1e37)) return plain;
    float t = (value - lo) / (hi - lo);
    if (kind == 1) return texture2D(ramp, vec2((mod(t, rampSize) + 0.5) / rampSize, 0.5)).rgb;
    float s = clamp(t, 0.0, 1.0) * (rampSize - 1.0);
    return texture2D(ramp, vec2((s + 0.5) / rampSize, 0.5)).rgb;
  }
`;
// One lamp beside the camera, some light from above, less where a surface turns away, so that grains of
// one colour stand apart. Light adds up in squares of what the screen is given, which is near enough to
// sRGB and costs a root.
const LIGHT = /* glsl */ `
  uniform vec3 upward;
  vec3 lit(vec3 base, vec3 n) {
    float lamp = max(dot(n, vec3(-0.3506, 0.4508, 0.8214)), 0.0);
    float light = 0.34 + 0.12 * dot(n, upward) + 0.66 * lamp;
    return base * sqrt(light * (0.45 + 0.55 * min(1.6 * abs(n.z), 1.0)));
  }
`;
const QUAT = /* glsl */ `
  vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

// The triangle about a ball stands in its middle. Of two balls that do not overlap, the one whose middle
// is nearer is in front in every pixel that they share, so the depth of the triangle serves, and what is
// hidden is not shaded; only where things do overlap (EXACT) each pixel gets the depth of its point.
export const BALL_VERTEX = /* glsl */ `
  ${COMMON} ${COLOUR}
  varying vec3 at, centre, base;
  varying float r;
  varying float chosen;
  void main() {
    int i = gl_VertexID / 3, k = gl_VertexID % 3;
    vec4 ball = row(placeOf, i);
    vec3 p = swayed(ball.xyz, i);
    r = ball.w;
    chosen = i == selected ? 1.0 : 0.0;
    if (cutAway(p) || !(r > 0.0)) { gl_Position = NOWHERE; return; }
    base = colourOf(row(valueOf, i).x);
    centre = (viewMatrix * vec4(p, 1.0)).xyz;
    bool flatView = projectionMatrix[3][3] == 1.0;
    vec3 z = flatView ? vec3(0.0, 0.0, 1.0) : -normalize(centre);
    float d = length(centre);
    float size = flatView ? r : r * d / sqrt(max(d * d - r * r, 1e-6 * d * d));
    if (chosen > 0.5) size *= 1.18;
    vec3 x = normalize(cross(abs(z.y) < 0.99 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), z));
    vec3 y = cross(z, x);
    at = centre + size * (k == 0 ? 2.0 * y : (k == 1 ? -1.7320508 : 1.7320508) * x - y);
    gl_Position = projectionMatrix * vec4(at, 1.0);
    if (chosen > 0.5) gl_Position.z = -0.99 * gl_Position.w; // what was picked is seen through the rest
  }
`;
export const BALL_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform bool disks;
  uniform float solid; // below 1: so many of the samples of a pixel show the grains, the rest what is behind
  uniform vec3 rim, outline;
  uniform mat4 lens; // projection
  ${LIGHT}
  varying vec3 at, centre, base;
  varying float r;
  varying float chosen;
  void deep(vec3 p) {
  #ifdef EXACT
    vec4 place = lens * vec4(p, 1.0);
    gl_FragDepth = chosen > 0.5 ? 0.005 : 0.5 + 0.5 * place.z / place.w;
  #endif
  }
  void main() {
    bool flatView = lens[3][3] == 1.0;
    vec3 dir = flatView ? vec3(0.0, 0.0, -1.0) : normalize(at);
    vec3 from = flatView ? vec3(at.xy, 0.0) : vec3(0.0);
    vec3 oc = from - centre;
    float b = dot(oc, dir), far = sqrt(max(dot(oc, oc) - b * b, 0.0)), end = chosen > 0.5 ? 1.14 * r : r;
    // the part of the pixel that is covered: edges are as smooth as those of triangles
    float cover = clamp(0.5 + (end - far) / max(fwidth(far), 1e-6 * r), 0.0, 1.0);
    if (cover <= 0.0) discard;
    float h = r * r - far * far;
    if (chosen > 0.5 && h < 0.0) { // a ring about the grain that was picked
      deep(centre);
      gl_FragColor = vec4(rim, cover);
      return;
    }
    vec3 p = from - (b + sqrt(max(h, 0.0))) * dir;
    vec3 n = (p - centre) / r;
    vec3 c = lit(base, n);
    if (disks) {
      float pixel = max(fwidth(far), 1e-6 * r), line = min(0.1 * r / pixel, 1.6); // none about small ones
      c = mix(base, mix(outline, base, 0.35), line < 0.5 ? 0.0 : 1.0 - smoothstep(line - 0.5, line + 0.5, (r - far) / pixel));
      p = centre;
    }
    deep(p);
    gl_FragColor = vec4(chosen > 0.5 ? mix(c, rim, 0.25) : c, chosen > 0.5 ? cover : solid * cover);
  }
`;

export const FORM_VERTEX = /* glsl */ `
  ${COMMON} ${COLOUR} ${QUAT}
  uniform sampler2D turnOf;
  attribute vec4 facing, border;
  attribute float grain;
  varying vec3 n, inner, base;
  varying float chosen;
  void main() {
    int i = int(grain);
    vec3 centre = swayed(row(placeOf, i).xyz, i);
    if (cutAway(centre)) { gl_Position = NOWHERE; return; }
    vec4 turn = row(turnOf, i);
    inner = border.xyz;
    base = colourOf(row(valueOf, i).x);
    chosen = i == selected ? 1.0 : 0.0;
    n = (viewMatrix * vec4(turned(turn, facing.xyz), 0.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(centre + turned(turn, position), 1.0);
    if (chosen > 0.5) gl_Position.z = 0.01 * gl_Position.z - 0.98 * gl_Position.w; // in front, parts in order
  }
`;
export const FORM_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform vec3 rim, outline;
  uniform bool disks;
  uniform float solid;
  ${LIGHT}
  varying vec3 n, inner, base;
  varying float chosen;
  void main() {
    vec3 c = disks ? base : lit(base, normalize(n));
    // an outline as wide as a pixel: stones beside each other stay two
    vec3 far = inner / max(fwidth(inner), vec3(1e-6));
    float edge = 1.0 - smoothstep(0.6, 1.6, min(min(far.x, far.y), far.z));
    c = disks ? mix(c, mix(outline, base, 0.35), edge) : c * (1.0 - 0.3 * edge);
    gl_FragColor = vec4(chosen > 0.5 ? mix(c, rim, 0.6) : c, chosen > 0.5 ? 1.0 : solid);
  }
`;

// A contact is a tube of six sides. As a chain it is as thick as the root of its force; as a part of the
// network all are alike, and those without a force are there too.
export const BAR_CORNERS = 36;
export const BAR_VERTEX = /* glsl */ `
  uniform vec3 clipLo, clipHi;
  uniform float width, scale, weakest;
  uniform bool alike;
  uniform sampler2D fromOf, toOf; // ends; force in the last of the first
  varying vec3 n;
  varying float s;
  vec4 row(sampler2D table, int i) { return texelFetch(table, ivec2(i % ${ROW}, i / ${ROW}), 0); }
  void main() {
    int i = gl_VertexID / ${BAR_CORNERS}, k = gl_VertexID % ${BAR_CORNERS}, side = k / 6, c = k % 6;
    vec4 one = row(fromOf, i);
    vec3 a = one.xyz, along = row(toOf, i).xyz - a, mid = a + 0.5 * along;
    s = clamp(one.w / scale, 0.0, 1.0);
    if (s < weakest || any(lessThan(mid, clipLo)) || any(greaterThan(mid, clipHi))) {
      gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
      return;
    }
    vec3 z = normalize(along);
    vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
    float angle = 1.04719755 * float(side + (c == 1 || c == 2 || c == 4 ? 1 : 0));
    float end = c == 2 || c == 4 || c == 5 ? 1.0 : 0.0;
    vec3 out_ = cos(angle) * x + sin(angle) * cross(z, x);
    float r = width * (alike ? 0.16 : 0.5 * sqrt(s));
    n = normalize((viewMatrix * vec4(out_, 0.0)).xyz);
    gl_Position = projectionMatrix * viewMatrix * vec4(a + end * along + r * out_, 1.0);
  }
`;
export const BAR_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform vec3 weak, strong;
  ${LIGHT}
  varying vec3 n;
  varying float s;
  void main() { gl_FragColor = vec4(lit(mix(weak, strong, s), normalize(n)), 1.0); }
`;

export const WALL_VERTEX = /* glsl */ `
  varying vec3 n, place;
  void main() {
    vec4 p = modelMatrix * vec4(position, 1.0);
    place = p.xyz;
    n = normalize(mat3(viewMatrix) * mat3(modelMatrix) * normal);
    gl_Position = projectionMatrix * viewMatrix * p;
  }
`;
export const WALL_FRAGMENT = /* glsl */ `
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

// Edges of walls; in flat worlds those of endless ones end where the run does.
export const LINE_VERTEX = /* glsl */ `
  varying vec3 place;
  void main() {
    vec4 p = modelMatrix * vec4(position, 1.0);
    place = p.xyz;
    gl_Position = projectionMatrix * viewMatrix * p;
  }
`;
export const LINE_FRAGMENT = /* glsl */ `
  precision highp float;
  uniform vec3 clipLo, clipHi, fromCorner, toCorner, tone;
  uniform float strength;
  varying vec3 place;
  void main() {
    if (any(lessThan(place, clipLo)) || any(greaterThan(place, clipHi))) discard;
    if (any(lessThan(place, fromCorner)) || any(greaterThan(place, toCorner))) discard;
    gl_FragColor = vec4(tone, strength);
  }
`;
