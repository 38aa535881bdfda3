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

// What the page does for a frame, without the drawing: arrays to the buffers of the graphics processor.
const frameCost = async () => {
  const { scene, show } = window.moraine, last = Math.min(20, window.moraine.times.length - 1);
  for (let k = 0; k <= last; k++) await show(k);
  const frame = scene.frame, begun = performance.now();
  for (let k = 0; k < 20; k++) scene.show(frame);
  return (performance.now() - begun) / 20000;
};

const browser = await chromium.launch({
  executablePath: path,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
for (let k = 0; k < +tries; k++) {
  const server = await serve();
  const page = await (await browser.newContext({ viewport: { width: 900, height: 640 } })).newPage();
  const begun = performance.now();
  await page.goto(server.address);
  await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 120000 });
  note('first frame shown', (performance.now() - begun) / 1000);
  await page.waitForFunction(() => document.documentElement.dataset.complete, null, { timeout: 120000 });
  note('page complete', (performance.now() - begun) / 1000);
  const marks = await page.evaluate(() => performance.getEntriesByType('mark').map((m) => [m.name, m.startTime / 1000]));
  for (const [name, at] of marks) note('  ' + name, at);
  const answers = await page.evaluate(() => performance.getEntriesByType('resource').map((r) => [r.name.replace(/.*\/[0-9a-f]{32}\//, '').replace(/\?.*/, ''), r.duration / 1000]));
  for (const [name, takes] of answers.filter(([n]) => !/frame\/[1-9]/.test(n))) note(`  answer ${name}`, takes);
  if (k === 0) {
    const info = await page.evaluate(() => { const s = window.moraine.scene; s.drawNow(); return s.renderer.info.render; });
    console.log(`${info.calls} draw calls, ${info.triangles} triangles in a picture`);
  }
  note('a frame into the buffers', await page.evaluate(frameCost));
  await page.context().close();
  await server.stop();
}
await browser.close();
for (const [what, list] of told) {
  const sorted = [...list].sort((a, b) => a - b);
  console.log(`${what.padEnd(32)} ${sorted[sorted.length >> 1].toFixed(4)}   (${list.map((v) => v.toFixed(4)).join(' ')})`);
}
