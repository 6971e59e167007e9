// Packs the packages as a registry would hand them out, into packed/, and prints the command that installs them.
import './required-node.mjs';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, root } from './build-stale.mjs';
import { runNpm } from './run-npm.mjs';

const code = await build();
if (code !== 0) process.exit(code);
const folder = join(root, 'packed');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const names = readdirSync(join(root, 'packages')).map((name) => readName(join(root, 'packages', name, 'package.json')));
await runNpm(['pack', '--pack-destination', folder, ...names.map((name) => `--workspace=${name}`)]);
const files = readdirSync(folder).map((name) => join(folder, name));
console.log(`npm install ${files.map((file) => (file.includes(' ') ? `"${file}"` : file)).join(' ')}`);

/** @param {string} manifest */
function readName(manifest) {
  return JSON.parse(readFileSync(manifest, 'utf8')).name;
}
