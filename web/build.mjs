// SPDX-License-Identifier: GPL-3.0-or-later
// Bundles the page into one HTML file that needs nothing else: `node build.mjs OUT.html`.
// The one script is named in the page's own policy by its hash, so that no other can run there.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// packages stand in the folder of the build, not among the sources
const esbuild = createRequire(join(process.cwd(), 'package.json'))('esbuild');

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'viewer.html');

const made = await esbuild.build({
  entryPoints: [join(here, 'src/main.js')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2020'],
  write: false,
  legalComments: 'inline',
  charset: 'utf8',
  nodePaths: [join(process.cwd(), 'node_modules')],
  loader: { '.css': 'text' },
});
// a literal "</script" would end the element
const script = made.outputFiles[0].text.replaceAll('</script', '<\\/script');
const css =
  readFileSync(join(process.cwd(), 'node_modules/uplot/dist/uPlot.min.css'), 'utf8') +
  readFileSync(join(here, 'src/style.css'), 'utf8');
const hash = createHash('sha256').update(script).digest('base64');
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash}'`,
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const html = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('<!--POLICY-->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
  .replace('<!--STYLE-->', () => `<style>${css}</style>`)
  .replace('<!--SCRIPT-->', () => `<script>${script}</script>`);
writeFileSync(out, html);
