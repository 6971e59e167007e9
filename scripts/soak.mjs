// Runs the long random tests and the properties one file after the other, each for its share of the time given. Prints
// a line for each and one for all, and exits 1 if any failed: npm run soak -- [--minutes=N] [--seed=N] [FILTER...]
// The tests themselves are tested by mutants: npm run soak -- mutation [--mutants=N] [--seed=N] [TARGET...]
// With --runners=N at a time, and --timeout=SECONDS for a mutant that never ends.
import './required-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildStale, root } from './build-stale.mjs';
import { runMutation } from './mutation/run-mutation.mjs';

/** Time of a file besides its tests: the start, and the transformation of its imports. */
const OVERHEAD_SECONDS = 3;
/** A long random test gets the time of this many properties. */
const LONG_WEIGHT = 12;
/** Round trips of a whole store are worth more than those of a number. */
const MODEL_WEIGHT = 6;

/**
 * @typedef {object} SoakFile
 * @property {string} path
 * @property {number} properties how many it has; 0 for a long random test
 * @property {number} weight its share beside those of others
 */

const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '15' },
    mutants: { type: 'string', default: '80' },
    runners: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    timeout: { type: 'string', default: '120' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const mutants = Number(values.mutants);
const runners = Number(values.runners);
const timeout = Number(values.timeout);
const positive = [minutes, mutants, runners, timeout].every((value) => value > 0);
if (!positive || !Number.isInteger(seed)) {
  console.error('npm run soak -- [--minutes=N] [--seed=N] [FILTER...]: FILTER is part of a path');
  console.error('npm run soak -- mutation [--mutants=N] [--seed=N] [TARGET...]: N mutants of each target');
  console.error('  --runners=N at a time, --timeout=SECONDS for a mutant that never ends');
  process.exit(2);
}

/** @returns {SoakFile[]} */
function soakFiles() {
  const paths = globSync(['packages/*/src/**/*.{test,soak}.ts', 'test/**/*.soak.ts'], { cwd: root });
  const wanted = paths.sort().filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)));
  const files = wanted.flatMap((path) => {
    if (path.endsWith('.soak.ts')) return [{ path, properties: 0, weight: LONG_WEIGHT }];
    const properties = readFileSync(root + path, 'utf8').split('fc.assert(').length - 1;
    if (properties === 0) return [];
    return [{ path, properties, weight: path.includes('model') ? MODEL_WEIGHT : properties }];
  });
  // Those that need their time come first; some take more than their share.
  return files.sort((a, b) => b.weight - a.weight);
}

/** Temporary files of the tests, which remove none when they are stopped. */
const temporary = mkdtempSync(join(tmpdir(), 'soak-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;

/** @param {NodeJS.Signals} signal */
async function stop(signal) {
  if (running !== undefined && running.exitCode === null && running.signalCode === null) {
    running.kill(signal);
    await once(running, 'close');
  }
  process.exit(128 + constants.signals[signal]);
}
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => void stop(signal));

/**
 * Runs one file and returns what it printed.
 *
 * @param {SoakFile} file
 * @param {number} seconds
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function runFile({ path, properties }, seconds) {
  const share = { SOAK_SECONDS: String(seconds), SOAK_SEED: String(seed) };
  const folders = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  const property = { SOAK_PROPERTY_SECONDS: String(seconds / Math.max(1, properties)) };
  const env = { ...process.env, ...folders, ...share, ...property };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config=vitest.soak.config.ts', path];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/**
 * @param {SoakFile} file
 * @param {number} seconds
 */
async function soak(file, seconds) {
  const begun = performance.now();
  const { ok, output } = await runFile(file, seconds);
  const took = ((performance.now() - begun) / 1000).toFixed(0).padStart(4);
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${took} s  ${file.path}`);
  if (!ok) console.log(output);
  else for (const [, figures] of output.matchAll(/^soak: (.*)$/gm)) console.log(`             ${figures}`);
  return ok;
}

const built = await buildStale();
if (built !== 0) process.exit(built);
if (filters[0] === 'mutation') {
  console.log(`${mutants} mutants of each target, again with --seed=${seed}`);
  process.exit(await runMutation({ seed, size: mutants, concurrency: runners, timeout, names: filters.slice(1) }));
}
const files = soakFiles();
console.log(`${files.length} files in ${minutes} minutes, again with --seed=${seed}`);
const begun = performance.now();
const end = begun + minutes * 60_000;
let weight = files.reduce((sum, file) => sum + file.weight, 0);
/** @type {string[]} */
const failed = [];
for (const [index, file] of files.entries()) {
  const left = (end - performance.now()) / 1000 - OVERHEAD_SECONDS * (files.length - index);
  // A file that took longer than its share leaves less to the others, but each gets some time.
  if (!(await soak(file, Math.max(1, (left * file.weight) / weight)))) failed.push(file.path);
  weight -= file.weight;
}
const took = ((performance.now() - begun) / 60_000).toFixed(1);
console.log(`${files.length - failed.length} files passed, ${failed.length} failed in ${took} minutes, seed ${seed}`);
if (files.length === 0) console.error('no file matches');
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0;
