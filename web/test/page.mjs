// SPDX-License-Identifier: GPL-3.0-or-later
// The page in a real browser: node page.mjs MORAINE PACKAGES CHROMIUM FOLDER
// Every check compares with numbers that come from elsewhere: the files of the run, or pixels.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [moraine, packages, chromium_path, folder] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');
const here = dirname(fileURLToPath(import.meta.url));
const run = join(folder, 'run');

let failures = 0;
function check(what, good, seen) {
  console.log(`${good ? 'ok    ' : 'FAILED'} ${what}${good ? '' : ': ' + JSON.stringify(seen)}`);
  if (!good) failures++;
}

/** Starts a command that prints an address; {address, stop}. */
function serve(args) {
  return new Promise((done, fail) => {
    const child = spawn(moraine, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const listen = (bytes) => {
      text += bytes;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
      if (found) done({ address: found[0], child, stop: () => new Promise((r) => { child.on('exit', r); child.kill('SIGINT'); }) });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('exit', () => fail(new Error('ended: ' + text)));
  });
}

const browser = await chromium.launch({
  executablePath: chromium_path,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 640 }, colorScheme: 'light', ...options });
  // what is on the canvas now, to be read by tests
  await context.addInitScript(() => {
    window.canvasNow = () => {
      const { scene } = window.moraine, copy = document.createElement('canvas');
      scene.drawNow();
      copy.width = scene.canvas.width;
      copy.height = scene.canvas.height;
      const g = copy.getContext('2d', { willReadFrequently: true });
      g.drawImage(scene.canvas, 0, 0);
      return g;
    };
  });
  const page = await context.newPage();
  page.errors = [];
  page.requests = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type()) && !/GPU stall|GL Driver/.test(m.text())) page.errors.push(m.text()); });
  page.on('pageerror', (e) => page.errors.push(e.message));
  page.on('request', (r) => page.requests.push(r.url()));
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.complete, null, { timeout: 30000 });
  await settle(page);
  return page;
}

// Two frames of the browser after the last change.
async function settle(page) {
  await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
}

/** Pixels of the canvas: share that is grain, its mean height (0 top, 1 bottom), mean colour. */
async function look(page) {
  return page.evaluate(() => {
    const g = window.canvasNow(), { data, width, height } = g.getImageData(0, 0, g.canvas.width, g.canvas.height);
    let n = 0, y = 0, rgb = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const [r, g_, b] = [data[i], data[i + 1], data[i + 2]];
      if (Math.max(r, g_, b) - Math.min(r, g_, b) < 24) continue; // walls and background are grey
      n++; y += Math.floor(i / 4 / width); rgb = [rgb[0] + r, rgb[1] + g_, rgb[2] + b];
    }
    return { share: n / (width * height), height: y / n / height, rgb: rgb.map((c) => c / n) };
  });
}

/** At the middle of each grain that nothing hides, the pixel has the colour that the palette gives its
 *  value, lit from where the lamp is: by the formulas of perspective and light, not by the page's shaders. */
async function everyGrain(page, what) {
  const seen = await page.evaluate(() => {
    const { scene, info, state } = window.moraine, a = scene.frame.array, g = window.canvasNow(), copy = g.canvas;
    const { lo, hi } = scene.shared, { stops } = info.palettes.find((p) => p.name === state.palette);
    const part = (hex, c) => parseInt(hex.slice(1 + 2 * c, 3 + 2 * c), 16);
    const colour = (v) => {
      const t = Math.min(1, Math.max(0, (v - lo.value) / (hi.value - lo.value))) * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2);
      return [0, 1, 2].map((c) => part(stops[k], c) + (t - k) * (part(stops[k + 1], c) - part(stops[k], c)));
    };
    const eye = scene.camera.position, place = (i) => scene.place(a.id[i]);
    let free = 0, worst = 0;
    for (let i = 0; i < a.id.length; i++) {
      const p = place(i), way = p.clone().sub(eye), far = way.length();
      way.normalize();
      const hidden = Array.from(a.id).some((_, j) => {
        const q = place(j).sub(eye), along = q.dot(way);
        return j !== i && along < far && q.addScaledVector(way, -along).length() < 1.1 * a.radius[j];
      });
      if (hidden) continue;
      const spot = p.project(scene.camera);
      const [r, g_, b] = g.getImageData(Math.floor((spot.x + 1) / 2 * copy.width), Math.floor((1 - spot.y) / 2 * copy.height), 1, 1).data;
      // facing us: sky and lamp as in shaders.js, seen from the front, where up is up
      const light = Math.sqrt(0.34 + 0.66 * 0.8214), want = colour(a.value[i]).map((c) => light * c);
      worst = Math.max(worst, ...[r, g_, b].map((c, k) => Math.abs(c - want[k])));
      free++;
    }
    return { free, worst };
  });
  // a tenth of the whole: normals at the middle of a ball at the edge of the picture lean by some degrees
  check(what, seen.free >= 15 && seen.worst < 26, seen);
}

const frame = (page, k) => page.evaluate(async (k) => { await window.moraine.show(k); }, k).then(() => settle(page));

try {
  execFileSync(moraine, ['run', join(here, 'scene.yaml'), '--out', run, '--quiet', '--force']);
  execFileSync(moraine, ['export', run, '--format', 'csv', '--out', join(folder, 'run.csv')]);
  const csv = readFileSync(join(folder, 'run.csv'), 'utf8').trim().split('\n').filter((l) => l.includes(',')).map((l) => l.split(','));
  const column = (name) => csv[0].findIndex((c) => c.split(' ')[0] === name);
  const rows = csv.slice(1).map((r) => ({ time: +r[0], id: +r[column('id')], x: ['x', 'y', 'z'].map((c) => +r[column(c)]), v: ['vx', 'vy', 'vz'].map((c) => +r[column(c)]) }));
  const times = [...new Set(rows.map((r) => r.time))];

  const server = await serve(['view', run, '--no-browser']);
  let page = await open(server.address);
  check('no console error', page.errors.length === 0, page.errors);
  check('nothing is asked for elsewhere', page.requests.every((u) => u.startsWith(server.address) || u.startsWith('data:') || u.startsWith('blob:')), page.requests);
  check('all frames are known', (await page.evaluate(() => window.moraine.times.length)) === times.length, times.length);
  check('a title stays a title', (await page.title()).startsWith('Beads <img') && (await page.locator('#title img, #title script').count()) === 0, await page.title());

  // grains are drawn: 60 beads of known size fill a known part of the picture when seen from the front
  await page.evaluate(() => { window.moraine.scene.fit('front'); document.getElementById('walls').click(); });
  await frame(page, 0);
  const first = await look(page);
  check('grains are drawn', first.share > 0.02 && first.share < 0.6, first);
  const drawn = await page.evaluate(() => window.moraine.frame().head.n);
  check('as many as there are', drawn === 60, drawn);
  await page.selectOption('#field', 'radius');
  await page.waitForFunction(() => document.getElementById('legend').textContent.includes('Radius'));
  await frame(page, 0);
  await everyGrain(page, 'each where it belongs, in its colour');
  await page.selectOption('#field', 'speed');
  await page.waitForFunction(() => document.getElementById('legend').textContent.includes('Speed'));

  // the slider moves them: the beads fall
  await page.locator('#slider').fill(String(times.length - 1));
  await page.waitForFunction((k) => window.moraine.frame().k === k, times.length - 1);
  await settle(page);
  const last = await look(page);
  check('the slider moves them down', last.height > first.height + 0.05, [first.height, last.height]);
  const places = await page.evaluate(() => { const a = window.moraine.frame().array; return Array.from(a.id, (id, i) => [id, ...a.x.slice(3 * i, 3 * i + 3)]); });
  const want = new Map(rows.filter((r) => r.time === times[times.length - 1]).map((r) => [r.id, r]));
  const off = Math.max(...places.map(([id, ...x]) => Math.max(...x.map((c, k) => Math.abs(c - want.get(id).x[k])))));
  check('to where the file has them', off < 1e-8, off); // float32 of some centimetres

  // playing goes on by itself and ends at the end
  await frame(page, times.length - 4);
  await page.locator('#view').focus();
  await page.keyboard.press('Space');
  check('space plays', await page.evaluate(() => window.moraine.state.playing), null);
  const ended = await page.waitForFunction((k) => window.moraine.frame().k === k && !window.moraine.state.playing, times.length - 1, { timeout: 20000 }).then(() => true, () => false);
  check('to the end', ended, await page.evaluate(() => window.moraine.frame().k));

  // colours: at mid-fall all beads have one speed; its colour is the one that the palette has there
  const mid = 5;
  await frame(page, mid);
  const speeds = rows.filter((r) => r.time === times[mid]).map((r) => Math.hypot(...r.v));
  const mean = speeds.reduce((a, b) => a + b) / speeds.length;
  await page.evaluate(async ([lo, hi]) => {
    const [a, b] = document.querySelectorAll('#range input');
    a.value = lo; b.value = hi; b.dispatchEvent(new Event('change'));
  }, [0, 2 * mean]);
  await settle(page);
  const tinted = await look(page); // middle of viridis: 0x21918c, shaded
  check('speed has its colour', tinted.rgb[1] > 1.8 * tinted.rgb[0] && tinted.rgb[2] > 1.5 * tinted.rgb[0], tinted.rgb);
  await page.evaluate(async () => { const s = document.getElementById('field'); s.value = 'group'; s.dispatchEvent(new Event('change')); });
  await page.waitForFunction(() => document.getElementById('legend').textContent.includes('Group'));
  await settle(page);
  const grouped = await look(page); // first class: 0x0072b2 or another, but not the middle of viridis
  check('another field, another colour', Math.abs(grouped.rgb[0] - tinted.rgb[0]) + Math.abs(grouped.rgb[1] - tinted.rgb[1]) + Math.abs(grouped.rgb[2] - tinted.rgb[2]) > 30, [grouped.rgb, tinted.rgb]);
  check('the legend names the groups', (await page.locator('#legend').innerText()).includes('beads'), await page.locator('#legend').innerText());

  // picking: the point where a bead's centre is drawn gives its number, unless another stands before it
  await page.evaluate(async () => { const s = document.getElementById('field'); s.value = 'speed'; s.dispatchEvent(new Event('change')); });
  await frame(page, times.length - 1);
  const target = await page.evaluate(() => {
    const { scene } = window.moraine, a = scene.frame.array;
    let best = 0;
    for (let i = 0; i < a.id.length; i++) if (a.x[3 * i + 1] - a.radius[i] < a.x[3 * best + 1] - a.radius[best]) best = i;
    const p = scene.place(a.id[best]).project(scene.camera), c = scene.canvas.getBoundingClientRect();
    return { id: a.id[best], x: c.left + (p.x + 1) / 2 * c.width, y: c.top + (1 - p.y) / 2 * c.height };
  });
  await page.mouse.click(target.x, target.y);
  await page.waitForFunction((id) => window.moraine.state.selected === id && document.querySelector('#grain .facts')?.textContent.includes(String(id)), target.id, { timeout: 5000 }).catch(() => {});
  check('a click picks the grain there', (await page.evaluate(() => window.moraine.state.selected)) === target.id, target);
  const told = await page.evaluate(async (id) => (await fetch(`grain/${window.moraine.state.frame}/${id}`)).json(), target.id);
  check('its speed is that of the file', Math.abs(told.values.speed - Math.hypot(...want.get(target.id).v)) < 1e-6, told.values.speed);
  check('its contacts are listed', (await page.locator('#grain table tr.go').count()) === told.contacts.length, told.contacts.length);

  // following: the grain stays where it is in the picture
  const seen = () => page.evaluate((id) => { const s = window.moraine.scene; s.camera.updateMatrixWorld(); const p = s.place(id).project(s.camera); return [p.x, p.y]; }, target.id);
  await page.locator('#follow').check();
  const before = await seen();
  await frame(page, 2);
  const after = await seen();
  check('a followed grain stays in its place', Math.hypot(before[0] - after[0], before[1] - after[1]) < 1e-3, [before, after]);
  await page.keyboard.press('Escape');

  // plots follow, and lead
  const marked = await page.evaluate(() => window.moraine.plots.time);
  check('plots show the time of the frame', Math.abs(marked - times[2]) < 1e-9, marked);
  await page.selectOption('#add-probe', 'coordination').catch(() => {});
  check('a probe is added', (await page.evaluate(() => window.moraine.plots.chosen)).includes('coordination'), await page.evaluate(() => window.moraine.plots.chosen));
  const box = await page.locator('#plots .u-over').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForTimeout(150);
  const led = await page.evaluate(() => window.moraine.state.frame);
  check('a click in a plot goes to that time', Math.abs(led - (times.length - 1) / 2) <= 2, led);

  // force chains: bars of another colour come
  await frame(page, times.length - 1);
  await page.evaluate(() => window.moraine.setContacts('chains'));
  await page.waitForFunction(() => window.moraine.scene.bars.visible);
  await settle(page);
  check('force chains are labelled', (await page.locator('#chain-legend').innerText()).includes('normal contact force'), null);

  // cutting: half of the box is gone
  const whole = (await look(page)).share;
  await page.evaluate(() => { const i = document.getElementById('clip-x0'); i.value = 0.5; i.dispatchEvent(new Event('input')); });
  await settle(page);
  const cut = (await look(page)).share;
  check('a cut takes grains away', cut < 0.75 * whole && cut > 0.2 * whole, [whole, cut]);

  // the network without its grains, which are hidden
  await page.selectOption('#contacts', 'network');
  await page.selectOption('#grains', 'hidden');
  await page.locator('#weakest').fill('0.1');
  await page.locator('#plots input[type=checkbox]').check();
  await settle(page);
  const bare = await page.evaluate(() => { const { scene } = window.moraine; return [scene.bars.visible, scene.balls.material.visible, document.getElementById('chain-legend').innerText]; });
  check('the network alone', bare[0] && !bare[1] && bare[2].includes('Contact network'), bare);

  // the address holds the view
  await page.waitForTimeout(400);
  const link = page.url();
  const again = await open(link);
  const whole_ = (p) => p.evaluate(() => { const { playing, live, ...rest } = window.moraine.state, { scene, plots } = window.moraine; return JSON.stringify([rest, plots.chosen, plots.log, scene.cameraState(), scene.shared.solid.value, scene.bars.material.uniforms.weakest.value]); });
  check('a link shows the same', (await whole_(again)) === (await whole_(page)), [await whole_(again), await whole_(page)]);
  await again.context().close();

  // keys, dark, a narrow screen with touch
  await page.locator('#view').focus();
  await page.keyboard.press('Home');
  await page.waitForFunction(() => window.moraine.frame().k === 0);
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => window.moraine.frame().k === 1);
  await page.keyboard.press('d');
  check('keys: frames and theme', (await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', null);
  check('still no console error', page.errors.length === 0, page.errors);
  await page.context().close();
  const phone = await open(server.address, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const spot = await phone.evaluate(() => {
    const { scene } = window.moraine, c = scene.canvas.getBoundingClientRect();
    scene.camera.updateMatrixWorld();
    const p = scene.place(scene.frame.array.id[0]).project(scene.camera);
    return [c.left + (p.x + 1) / 2 * c.width, c.top + (1 - p.y) / 2 * c.height];
  });
  await phone.touchscreen.tap(...spot);
  await phone.waitForTimeout(200);
  const room = await phone.evaluate(() => document.getElementById('slider').getBoundingClientRect().width);
  check('the slider has room on a narrow screen', room > 250, room);
  check('a tap picks', (await phone.evaluate(() => window.moraine.state.selected)) >= 0 && phone.errors.length === 0, phone.errors);
  await phone.context().close();
  await server.stop();

  // a run that goes on: frames come by themselves; when it ends the page shows its files
  const live = await serve(['run', join(here, 'scene.yaml'), '--out', join(folder, 'live'), '--view', '--no-browser', '--quiet', '--set', 'stages.0.until.time=600']);
  page = await open(live.address);
  const early = await page.evaluate(() => [window.moraine.times.length, window.moraine.info.running, window.moraine.frame().head.time]);
  await page.waitForFunction((n) => window.moraine.times.length >= n + 3 && window.moraine.frame().k >= n + 2, early[0], { timeout: 20000 });
  const later = await page.evaluate(() => window.moraine.frame().head.time);
  check('a run in progress is followed', early[1] && later > early[2], [early, later]);
  live.child.kill('SIGINT');
  await page.waitForFunction(() => window.moraine.info.running === false, null, { timeout: 20000 });
  check('and its end is noticed, without an error', page.errors.filter((e) => !/ERR_CONNECTION|Failed to fetch/.test(e)).length === 0, page.errors);
  await page.context().close();

  // mechanisms: a mode moves the grains that it has, and no others
  writeFileSync(join(run, 'modes.json'), JSON.stringify({ modes: [{ name: 'one goes up', id: [rows[0].id], u: [0, 0, 1] }] }));
  const moving = await serve(['view', run, '--no-browser']);
  page = await open(moving.address);
  await page.evaluate(() => window.moraine.setMode(0));
  const sway = await page.evaluate(() => { const s = window.moraine.scene; return [Array.from(s.modeOf(s.frame.array.id)).filter((c) => c !== 0), s.shared.amplitude.value]; });
  await page.waitForFunction(() => Math.abs(window.moraine.scene.shared.amplitude.value) > 1e-4, null, { timeout: 5000 });
  check('a mode moves its grains alone', JSON.stringify(sway[0]) === '[1]', sway);
  await page.context().close();
  await moving.stop();

  // polygons, in the dark: two squares side by side are two, for a line stands between them; the
  // legend stands beside them
  const squares = join(folder, 'squares.yaml');
  writeFileSync(squares, `moraine: 1
title: squares
dimension: 2
method: nonsmooth
materials: {stone: {density: 2400 kg/m3}}
interactions: [{between: any, law: rigid, friction: 0.7}]
bodies:
  - {name: two, shape: {polygon: {points: [[-10 cm, -10 cm], [10 cm, -10 cm], [10 cm, 10 cm], [-10 cm, 10 cm]]}}, place: {list: [{position: [-10 cm, 0]}, {position: [10 cm, 0]}]}}
walls: [{name: ground, plane: {point: [0, -10 cm], normal: [0, 1]}}]
stages: [{until: {time: 1 ms}}]
output: {every: 1 ms}
`);
  execFileSync(moraine, ['run', squares, '--out', join(folder, 'squares'), '--quiet', '--force']);
  const stones = await serve(['view', join(folder, 'squares'), '--no-browser']);
  page = await open(stones.address + '#theme=dark&field=group&plots=0');
  const across = await page.evaluate(() => {
    const { scene } = window.moraine, { canvas } = scene, g = window.canvasNow(), small = g.canvas;
    const { data } = g.getImageData(0, Math.floor(small.height / 2) - 7, small.width, 1);
    const tone = (i) => data[4 * i] + data[4 * i + 1] + data[4 * i + 2], at = (x) => {
      const p = scene.camera.position.clone().set(x, 0, 0).project(scene.camera);
      return Math.round((p.x + 1) / 2 * small.width);
    };
    let line = 0;
    for (let i = at(0) - 3; i <= at(0) + 3; i++) line = Math.max(line, Math.abs(tone(i) - tone(at(-0.1))));
    const column = g.getImageData(4, 0, 1, small.height).data; // left of the squares
    let ground = 0;
    for (let i = 0; i < small.height; i++) ground += Math.abs(column[4 * i] + column[4 * i + 1] + column[4 * i + 2] - tone(4)) > 40 ? 1 : 0;
    const legend = document.getElementById('legend').getBoundingClientRect().left - canvas.getBoundingClientRect().left;
    return { line, ground, left: tone(at(-0.1)), right: tone(at(0.1)), outside: tone(4), end: at(0.2) / small.width * canvas.clientWidth, legend, theme: document.documentElement.dataset.theme };
  });
  check('squares are drawn, alike', across.left === across.right && Math.abs(across.left - across.outside) > 60, across);
  check('on a ground that is a line', across.ground >= 1 && across.ground <= 4, across);
  check('with a line between them', across.line > 40, across);
  check('and the legend beside them', across.end < across.legend && across.theme === 'dark', across);
  check('no error there', page.errors.length === 0, page.errors);
  await page.context().close();
  await stones.stop();

  // stones in space beside a ball: both are drawn where they are, turned as they are, and picked
  const stonesIn = join(folder, 'stones.yaml');
  writeFileSync(stonesIn, `moraine: 1
title: cubes
method: nonsmooth
materials: {stone: {density: 2400 kg/m3}}
interactions: [{between: any, law: rigid, friction: 0.7}]
bodies:
  - {name: ball, shape: {sphere: {radius: 5 cm}}, place: {list: [{position: [-30 cm, 0, 0]}]}}
  - {name: cube, shape: {polyhedron: {box: [20 cm, 20 cm, 20 cm]}}, place: {list: [{position: [0, 0, 0]}, {position: [30 cm, 0, 0], rotation: {axis: [0, 1, 0], angle: 45 deg}}]}}
walls: [{name: ground, plane: {point: [0, 0, -50 cm], normal: [0, 0, 1]}}]
stages: [{until: {time: 1 ms}}]
output: {every: 1 ms}
`);
  execFileSync(moraine, ['run', stonesIn, '--out', join(folder, 'stones'), '--quiet', '--force']);
  const cubes = await serve(['view', join(folder, 'stones'), '--no-browser']);
  page = await open(cubes.address + '#field=none&walls=0&plots=0');
  const hits = await page.evaluate(() => {
    const { scene } = window.moraine, { canvas } = scene;
    scene.fit('front');
    const g = window.canvasNow(), copy = g.canvas;
    const at = (x, z) => {
      const p = scene.camera.position.clone().set(x, 0, z).project(scene.camera), [u, v] = [(p.x + 1) / 2, (1 - p.y) / 2];
      const [r, , b] = g.getImageData(Math.floor(u * copy.width), Math.floor(v * copy.height), 1, 1).data;
      return [r - b > 20, scene.pick(u * canvas.clientWidth, v * canvas.clientHeight) >= 0]; // grains are ochre
    };
    return { ball: at(-0.3, 0), ballCorner: at(-0.26, 0.04), cube: at(0, 0), corner: at(0.09, 0.09), turned: at(0.42, 0), turnedCorner: at(0.39, 0.09), between: at(0.15, 0.12) };
  });
  const expected = { ball: true, ballCorner: false, cube: true, corner: true, turned: true, turnedCorner: false, between: false };
  check('stones and balls are drawn and picked where they are', Object.entries(expected).every(([k, v]) => hits[k][0] === v && hits[k][1] === v), hits);
  check('no error with them', page.errors.length === 0, page.errors);
  await page.context().close();
  await cubes.stop();

  // exported: from a file, with no server
  const html = join(folder, 'page.html');
  execFileSync(moraine, ['view', run, '--export', html, '--field', 'speed', '--field', 'radius', '--contacts']);
  page = await open('file://' + html, { colorScheme: 'dark' });
  check('it is dark where the system is', (await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', null);
  await frame(page, times.length - 1);
  const stored = await page.evaluate(() => { const a = window.moraine.frame().array; return Array.from(a.id, (id, i) => [id, ...a.x.slice(3 * i, 3 * i + 3)]); });
  const away = Math.max(...stored.map(([id, ...x]) => Math.max(...x.map((c, k) => Math.abs(c - want.get(id).x[k])))));
  check('the exported page shows the same places', away < 0.06 / 65535, away); // half a step of 16 bits, and more
  check('in colour', (await look(page)).share > 0.02, await look(page));
  check('without a console error', page.errors.length === 0, page.errors);
  check('its title stays a title', (await page.title()).startsWith('Beads <img'), await page.title());
  await page.context().close();
} catch (error) {
  check('the tests ran to their end', false, error.stack);
}
await browser.close();
console.log(failures ? `${failures} failed` : 'all good');
process.exit(failures ? 1 : 0);
