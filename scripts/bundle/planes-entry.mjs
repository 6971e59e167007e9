import { copyFileSync, writeFileSync } from 'node:fs';
import { root } from '../build-stale.mjs';
import { runRecording } from './run-recording.mjs';

/**
 * Writes the entry that programs import, and records the bytecode. The entry is CommonJS, so that jest loads it without
 * flags; its exports are written out, so that Node finds their names for imports.
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
const { Bundle } = require('./loader.cjs');
const bundled = new Bundle(require('node:path').join(__dirname, '/')).load('envtest.cjs');
${envtest.map((name) => `exports.${name} = bundled.${name};\n`).join('')}`,
  );
  runRecording('record-bytecode-of-planes.mjs', directory);
}
