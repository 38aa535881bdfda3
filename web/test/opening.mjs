// SPDX-License-Identifier: GPL-3.0-or-later
// How long a run takes to open, and what a frame costs the page:
//   node web/test/opening.mjs MORAINE build/web CHROMIUM RUN [tries]
// Times in seconds, median and all of them; counted from the start of the command or from the moment
// the browser is sent to the page. The browser is started before.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [moraine, packages, path, run, tries = '5'] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packages, 'package.json'))('playwright-core');
const told = new Map();
const note = (what, value) => told.set(what, [...(told.get(what) ?? []), value]);

function serve() {
  const begun = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(moraine, ['view', run, '--no-browser'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const listen = (bytes) => {
      text += bytes;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
      if (!found) return;
      note('server up', (performance.now() - begun) / 1000);
      done({ address: found[0], stop: () => new Promise((r) => { child.on('exit', r); child.kill('SIGINT'); }) });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('exit', () => fail(new Error('ended: ' + text)));
  });
}

// What the page does for a frame and a picture, and what its renderer does: a pixel is read back, which
// waits for the picture. Without a graphics processor that is the processor's work, too.
const frameCost = async () => {
  const { scene, show } = window.moraine, last = Math.min(20, window.moraine.times.length - 1);
  for (let k = 0; k <= last; k++) await show(k);
  const gl = scene.renderer.getContext(), pixel = new Uint8Array(4), frame = scene.frame, out = { fill: [], call: [], picture: [] };
  for (let k = 0; k < 12; k++) {
    const a = performance.now();
    scene.show(frame);
    const b = performance.now();
    scene.drawNow();
    const c = performance.now();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    out.fill.push(b - a);
    out.call.push(c - b);
    out.picture.push(performance.now() - b);
  }
  const median = (list) => list.sort((x, y) => x - y)[list.length >> 1] / 1000;
  const kept = (t) => t.array.byteLength, tables = scene.table;
  return { fill: median(out.fill), call: median(out.call), picture: median(out.picture), bytes: kept(tables.placeOf) + kept(tables.valueOf), size: [scene.canvas.width, scene.canvas.height] };
};

const browser = await chromium.launch({
  executablePath: path,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
for (let k = 0; k < +tries; k++) {
  const server = await serve();
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const begun = performance.now();
  await page.goto(server.address);
  await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 120000 });
  note('first frame handed over', (performance.now() - begun) / 1000);
  await page.waitForFunction(() => window.moraine.scene.drawn > 0, null, { timeout: 120000 });
  note('its picture is there', (performance.now() - begun) / 1000);
  await page.waitForFunction(() => document.documentElement.dataset.complete, null, { timeout: 120000 });
  note('page complete', (performance.now() - begun) / 1000);
  await page.waitForFunction(() => window.moraine.scene.sharpCost !== undefined, null, { timeout: 120000 });
  note('and its picture sharp', (performance.now() - begun) / 1000);
  const marks = await page.evaluate(() => performance.getEntriesByType('mark').map((m) => [m.name, m.startTime / 1000]));
  for (const [name, at] of marks) note('  ' + name, at);
  const answers = await page.evaluate(() => performance.getEntriesByType('resource').map((r) => [r.name.replace(/.*\/[0-9a-f]{32}\//, '').replace(/\?.*/, ''), r.duration / 1000]));
  for (const [name, takes] of answers.filter(([n]) => !/frame\/[1-9]/.test(n))) note(`  answer ${name}`, takes);
  if (k === 0) {
    const info = await page.evaluate(() => { const s = window.moraine.scene; s.drawNow(); return s.renderer.info.render; });
    console.log(`${info.calls} draw calls, ${info.triangles} triangles in a picture`);
  }
  const cost = await page.evaluate(frameCost);
  if (k === 0) console.log(`${cost.size.join(' x ')} pixels, ${(cost.bytes / 1e6).toFixed(2)} MB to the renderer for a frame`);
  note('a frame into its tables', cost.fill);
  note('and to the renderer', cost.call);
  note('until its picture is there', cost.picture);
  await page.context().close();
  await server.stop();
}
await browser.close();
for (const [what, list] of told) {
  const sorted = [...list].sort((a, b) => a - b);
  console.log(`${what.padEnd(32)} ${sorted[sorted.length >> 1].toFixed(4)}   (${list.map((v) => v.toFixed(4)).join(' ')})`);
}
