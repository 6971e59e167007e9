import { copyFileSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { root } from '../build-stale.mjs';
import { runRecording } from './run-recording.mjs';

/**
 * Writes the entries that programs import, and records the bytecode. The entries are CommonJS, so that jest loads them
 * without flags. Exports are written out, so that Node finds their names for imports.
 *
 * @param {string} directory of the bundle
 * @param {Record<string, string[]>} entries exports by name of the entry
 */
export function completePlanes(directory, { envtest = [] }) {
  const guard = 'required-node.cjs';
  copyFileSync(`${root}packages/envtest/dist/required-node.js`, `${directory}/${guard}`);
  writeFileSync(
    `${directory}/index.cjs`,
    `// Written by "npm run build".
'use strict';
require('./${guard}');
const { existsSync } = require('node:fs');
if (!existsSync(__dirname + '/envtest.cjs')) {
  throw new Error('@apiserver/envtest cannot be part of a bundle: mark it as external in the options of the bundler');
}
const { Bundle } = require('./loader.cjs');
const bundled = new Bundle(require('node:path').join(__dirname, '/')).load('envtest.cjs');
${envtest.map((name) => `exports.${name} = bundled.${name};\n`).join('')}`,
  );
  buildSync({
    absWorkingDir: root,
    entryPoints: ['packages/envtest/src/matchers/index.ts'],
    outfile: `${directory}/matchers.cjs`,
    bundle: true,
    platform: 'node',
    target: 'node24',
    banner: { js: `// Written by "npm run build".\nrequire('./${guard}');` },
  });
  runRecording('record-bytecode-of-planes.mjs', directory);
}
