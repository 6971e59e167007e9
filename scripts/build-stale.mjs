import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Files of the build itself. `npm ci` removes them. */
const cache = `${root}node_modules/.cache`;

/** Its time of modification is the moment when the last good build began. */
const stamp = `${cache}/apiserver-build-stamp`;

/** Files and a folder outside the packages whose change makes every build stale. */
const sharedInputs = [
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'scripts/generate-descriptions.mjs',
  'scripts/guard-entries.mjs',
  'scripts/launchers/launchers.mjs',
  'scripts/launchers/write-assets.mjs',
  'scripts/write-build-info.mjs',
];
const sharedFolder = 'scripts/bundle';

/**
 * Runs one Node program on the Node that runs this one, in the repository's folder, to its end.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code; 1 if a signal ended it
 */
export function runNode(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Compiles every package, guards the entry points, and extracts descriptions of kinds and fields from the installed
 * client package. Then it bundles the binary with its bytecode and writes assets/. The steps before the bundle skip
 * work that is up to date. While another process builds in this clone, waits, and builds only what is still stale then.
 *
 * @param {() => Promise<number>} [use] uses what was built, before another process may build
 * @returns {Promise<number>} the exit code of the first step that fails, else that of `use` or 0
 */
export function build(use = async () => 0) {
  return buildAlone(async (hasWaited) => (hasWaited && !isStale() ? 0 : await runSteps()) || use());
}

/**
 * @param {(hasWaited: boolean) => Promise<number>} run
 * @returns {Promise<number>}
 */
async function buildAlone(run) {
  // `npm ci` imports this module on the machine's Node, which may be too old for that one.
  const lock = await import('./build-lock.mjs');
  return lock.buildAlone(cache, run);
}

/** @returns {Promise<number>} the exit code of the first step that fails, else 0 */
async function runSteps() {
  const begun = new Date();
  linkWorkspaces();
  const steps = [
    ['node_modules/typescript/bin/tsc', '-b'],
    ['scripts/guard-entries.mjs'],
    ['scripts/generate-descriptions.mjs'],
    ['scripts/write-build-info.mjs'],
    ['scripts/bundle/bundle.mjs'],
    ['scripts/launchers/write-assets.mjs'],
  ];
  for (const step of steps) {
    const code = await runNode(step);
    if (code !== 0) return code;
  }
  writeFileSync(stamp, '');
  utimesSync(stamp, begun, begun);
  return 0;
}

/**
 * Builds only if a source changed since the last build. It compares times of modification, which takes about a tenth
 * of what the compiler takes to find out that it has nothing to do.
 *
 * @returns {Promise<number>} the exit code of the build, 0 if there was nothing to build
 */
export async function buildStale() {
  if (!isStale()) return 0;
  return buildAlone(async (hasWaited) => {
    if (hasWaited && !isStale()) return 0;
    console.error('building, which takes half a minute ...');
    return runSteps();
  });
}

function isStale() {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined || !existsSync(`${root}assets`)) return true;
  return (
    sharedInputs.some((file) => isNewer(file, built)) ||
    hasNewerFile(sharedFolder, built) ||
    workspaces().some((folder) => isPackageStale(folder, built))
  );
}

/** Packages that came with a pull are linked as `npm ci` would, so that a build finds them. */
function linkWorkspaces() {
  for (const folder of workspaces()) {
    const { name } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
    const link = `${root}node_modules/${name}`;
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), root + folder), link, 'junction');
  }
}

function workspaces() {
  const folders = ['packages', 'examples'].flatMap((group) =>
    readdirSync(root + group).map((name) => `${group}/${name}`),
  );
  return folders.filter((folder) => existsSync(`${root}${folder}/package.json`));
}

/**
 * @param {string} folder
 * @param {number} built milliseconds since the epoch
 */
function isPackageStale(folder, built) {
  const config = `${folder}/tsconfig.json`;
  if (!existsSync(root + config)) return false;
  if (!existsSync(`${root}${folder}/dist`)) return true;
  return isNewer(config, built) || isNewer(`${folder}/package.json`, built) || hasNewerFile(`${folder}/src`, built);
}

/**
 * The time of a folder changes when files are added, renamed or deleted.
 *
 * @param {string} folder
 * @param {number} built
 * @returns {boolean}
 */
function hasNewerFile(folder, built) {
  if (isNewer(folder, built)) return true;
  return readdirSync(root + folder, { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? hasNewerFile(path, built) : !path.endsWith('.test.ts') && isNewer(path, built);
  });
}

/**
 * @param {string} path
 * @param {number} built
 */
function isNewer(path, built) {
  return (statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= built;
}
