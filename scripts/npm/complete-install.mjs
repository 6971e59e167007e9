// Runs after `npm ci` on the machine's Node, in a syntax that old ones parse. It completes what npm leaves out, so that
// everything else can run on the repository's own Node.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build-stale.mjs';
import { runNpm } from './run-npm.mjs';

const isInstalled = (/** @type {string} */ path) => existsSync(join(root, path));
const read = (/** @type {string} */ file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/**
 * The packages that carry Node for the platforms share the link `node_modules/.bin/node`. Those of other platforms are
 * removed last, and by npm 8 to 10 the link with them.
 *
 * @param {string} name
 */
async function linkNode(name) {
  if (!isInstalled('node_modules/.bin/node')) await runNpm(['rebuild', name]);
}

/**
 * npm leaves out optional packages, such as native parts of build tools, that ask for a newer Node than runs npm.
 *
 * @param {string} name
 */
async function installLeftOut(name) {
  const platform = { os: process.platform, cpu: process.arch, libc: nameLibc() };
  const packages = Object.entries(read('package-lock.json').packages);
  if (!packages.some(([path, entry]) => isMeantFor(entry, platform) && !isInstalled(path))) return;
  const folder = join(root, 'node_modules', name);
  const node = join(folder, read(`node_modules/${name}/package.json`).bin.node);
  await runNpm(['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], root, node);
}

/** @returns {string | undefined} */
function nameLibc() {
  if (process.platform !== 'linux') return undefined;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * @param {{ optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} entry
 * @param {{ os: string, cpu: string, libc: string | undefined }} platform
 */
function isMeantFor({ optional, os, cpu, libc }, platform) {
  if (optional !== true || !os?.includes(platform.os) || !cpu?.includes(platform.cpu)) return false;
  return libc === undefined || platform.libc === undefined || libc.includes(platform.libc);
}

const carriers = Object.keys(read('package.json').optionalDependencies);
const carrier = carriers.find((name) => isInstalled(`node_modules/${name}`));
if (carrier !== undefined) {
  await installLeftOut(carrier);
  await linkNode(carrier);
}
