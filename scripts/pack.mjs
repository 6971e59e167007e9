// Packs the packages as a registry would hand them out, into packed/, and prints the command that installs them.
import './required-node.mjs';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, root } from './build-stale.mjs';
import { runNpm } from './npm/run-npm.mjs';

const folder = join(root, 'packed');
console.error('building and packing, which takes a minute ...');
process.exitCode = await build(pack);

async function pack() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  const names = packages.map((path) => readName(join(path, 'package.json')));
  // As lerna does for a release: npm packs only a license that lies in the package's own folder.
  const licenses = packages.map((path) => join(path, 'LICENSE')).filter((path) => !existsSync(path));
  try {
    for (const path of licenses) copyFileSync(join(root, 'LICENSE'), path);
    await runNpm(['pack', '--pack-destination', folder, ...names.map((name) => `--workspace=${name}`)]);
  } finally {
    for (const path of licenses) rmSync(path, { force: true });
  }
  const files = readdirSync(folder).map((name) => join(folder, name));
  console.log(`npm install ${files.map((file) => (file.includes(' ') ? `"${file}"` : file)).join(' ')}`);
  return 0;
}

/** @param {string} manifest */
function readName(manifest) {
  return JSON.parse(readFileSync(manifest, 'utf8')).name;
}
