import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../build-stale.mjs';
import { installFolder } from '../npm/install-folder.mjs';
import { copyRepository } from './copy-repository.mjs';
import { killGroup } from './kill-group.mjs';
import { listMutants, rangeOf } from './list-mutants.mjs';
import { reportMutants } from './report-mutants.mjs';
import { sampleMutants } from './sample-mutants.mjs';
import { targets } from './targets.mjs';

const folder = `${root}scripts/mutation`;

/** One file of results for each target and seed, which stays after the run. */
const resultFolder = `${root}node_modules/.cache/apiserver-mutation`;

/** Signals that stop a run. It then reports the results so far. */
const STOPS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Stryker gets this many times the mutants of the sample, because it leaves out static ones. With all mutants of a
 * large target its main process runs out of memory: it sends each to the checker, with the names of all tests that
 * cover it.
 */
const SPARE = 2;

/** With more, Stryker starts a second checker. The sample is chosen in one process, so the other drops its mutants. */
const MAX_RUNNERS = 2;

/**
 * @typedef {object} MutationOptions
 * @property {number} seed
 * @property {number} size sampled mutants of each target, or of each package that is named
 * @property {number} concurrency test runners at a time, 2 at most
 * @property {number} timeout seconds of a mutant beyond what its tests take without it
 * @property {readonly string[]} names of the targets; none for all. `authorization/rbac-authorizer` is one package of a
 * target;
 *   commas separate several
 */

/**
 * @typedef {{ name: string, target: string, folders: readonly string[] }} Part of a target: the files of some folders
 */

/**
 * Mutates a copy of the working tree, target by target, and prints a line for each and one for each mutant that
 * survived.
 *
 * @param {MutationOptions} options
 * @returns {Promise<number>} 1 if less than the goal is killed in some target, a part of its sample is not tested, or
 * the
 *   tests fail without a mutant; 2 for options that it refuses
 */
export async function runMutation({ names, ...options }) {
  if (options.concurrency > MAX_RUNNERS) {
    console.error(
      `--runners must be at most ${MAX_RUNNERS}: with more, Stryker starts several checkers, which share no sample`,
    );
    return 2;
  }
  const wanted = (names.length === 0 ? Object.keys(targets) : names).map(partOf);
  const unknown = wanted.filter(({ target }) => !Object.hasOwn(targets, target));
  if (unknown.length > 0) {
    const known = Object.keys(targets).join(', ');
    console.error(`unknown target ${unknown.map(({ target }) => target).join(', ')}; there are ${known}`);
    return 2;
  }
  await installFolder(folder);
  let code = 0;
  for (const part of wanted) {
    const target = targets[part.target];
    if (target === undefined) continue;
    const { ok, stopped } = await runTarget(part, target, options);
    if (!ok) code = 1;
    if (stopped) break;
  }
  return code;
}

/**
 * @param {string} name
 * @returns {Part}
 */
function partOf(name) {
  const [target = '', packages] = name.split('/');
  const folders = packages?.split(',').map((packageName) => `packages/${packageName}/`) ?? [''];
  return { name, target, folders };
}

/**
 * @param {Part} part
 * @param {import('./targets.mjs').Target} target
 * @param {Omit<MutationOptions, 'names'>} options
 * @returns {Promise<{ ok: boolean, stopped: boolean }>}
 */
async function runTarget({ name, folders }, target, options) {
  const begun = performance.now();
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'apiserver-mutation-')));
  try {
    const copy = join(top, 'copy');
    copyRepository(copy);
    const instrumenter = `${folder}/node_modules/@stryker-mutator/instrumenter/dist/src/index.js`;
    const all = await listMutants(copy, target.mutate, instrumenter);
    const mutants = all.filter(({ fileName }) => folders.some((folder) => fileName.startsWith(folder)));
    if (mutants.length === 0) {
      console.error(`${name} has no mutants`);
      return { ok: false, stopped: false };
    }
    const { seed, size } = options;
    const mutate = sampleMutants(mutants, { seed, size: SPARE * size, folders }).map(rangeOf);
    const results = `${resultFolder}/${name.replace('/', '-')}-${seed}.jsonl`;
    mkdirSync(resultFolder, { recursive: true });
    rmSync(results, { force: true });
    console.log(`          ${name}: results in ${results}`);
    const { code, stopped } = await runStryker(copy, { ...target, mutate }, { ...options, folders, results });
    if (code !== 0 && !stopped) return { ok: false, stopped };
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
    return {
      ok: reportMutants(results, { name, minutes, copy, sample: { seed, size, folders }, stopped, mutants }),
      stopped,
    };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/**
 * @param {string} copy
 * @param {import('./targets.mjs').Target} target
 * @param {Omit<MutationOptions, 'names'> & { folders: readonly string[], results: string }} options
 * @returns {Promise<{ code: number, stopped: boolean }>}
 */
function runStryker(copy, target, { seed, size, folders, concurrency, timeout, results }) {
  const configuration = {
    allowEmpty: true,
    checkers: ['sample'],
    concurrency,
    coverageAnalysis: 'perTest',
    // Nothing here checks types. Otherwise it parses all files of the repository to tell TypeScript so.
    disableTypeChecks: false,
    // The first run of all tests, without a mutant, takes minutes on a busy machine.
    dryRunTimeoutMinutes: 30,
    ignoreStatic: true,
    inPlace: true,
    logLevel: 'warn',
    mutate: target.mutate,
    plugins: [
      `${folder}/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`,
      `${folder}/sample-checker.mjs`,
      `${folder}/result-reporter.mjs`,
    ],
    reporters: ['results'],
    resultFile: results,
    sample: { seed, size, folders },
    testRunner: 'vitest',
    // A process with the lowest priority may wait for minutes; a mutant that then times out counts as killed.
    timeoutMS: timeout * 1000,
    vitest: { configFile: 'vitest.mutation.config.ts', related: false, pool: 'forks' },
    warnings: { unknownOptions: false },
  };
  writeFileSync(join(copy, 'stryker.json'), JSON.stringify(configuration));
  const args = [`${folder}/node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', 'stryker.json'];
  const env = { ...process.env, MUTATION_TARGET: JSON.stringify(target) };
  // A group of its own, so that a stop also ends the processes that Stryker has started.
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: 'inherit', detached: true });
  return new Promise((resolve, reject) => {
    let stopped = false;
    const stop = () => {
      stopped = true;
      killGroup(child);
    };
    for (const signal of STOPS) process.on(signal, stop);
    child.on('error', reject);
    child.on('exit', (code) => {
      for (const signal of STOPS) process.off(signal, stop);
      resolve({ code: code ?? 1, stopped });
    });
  });
}
