import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../build-stale.mjs';
import { installFolder } from '../install-folder.mjs';
import { copyRepository } from './copy-repository.mjs';
import { listMutants, rangeOf } from './list-mutants.mjs';
import { reportMutants } from './report-mutants.mjs';
import { sampleMutants } from './sample-mutants.mjs';
import { targets } from './targets.mjs';

const folder = `${root}scripts/mutation`;

/**
 * Stryker gets this many times the mutants of the sample, because it leaves out static ones. With all mutants of a large
 * target its main process runs out of memory: it sends each to the checker, with the names of all tests that cover it.
 */
const SPARE = 2;

/**
 * @typedef {object} MutationOptions
 * @property {number} seed
 * @property {number} size sampled mutants of each target
 * @property {number} concurrency test runners at a time
 * @property {readonly string[]} names of the targets; none for all. `authorization/rbac-authorizer` is one package of a target
 */

/** @typedef {{ name: string, target: string, folder: string }} Part of a target: the files of a folder; "" for all */

/**
 * Mutates a copy of the working tree, target by target, and prints a line for each and one for each mutant that survived.
 *
 * @param {MutationOptions} options
 * @returns {Promise<number>} 1 if less than the goal is killed in some target, or the tests fail without a mutant
 */
export async function runMutation({ names, ...options }) {
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
    if (target === undefined || !(await runTarget(part, target, options))) code = 1;
  }
  return code;
}

/**
 * @param {string} name
 * @returns {Part}
 */
function partOf(name) {
  const [target = '', packageName] = name.split('/');
  return { name, target, folder: packageName === undefined ? '' : `packages/${packageName}/` };
}

/**
 * @param {Part} part
 * @param {import('./targets.mjs').Target} target
 * @param {Omit<MutationOptions, 'names'>} options
 */
async function runTarget({ name, folder: within }, target, options) {
  const begun = performance.now();
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'apiserver-mutation-')));
  try {
    const copy = join(top, 'copy');
    copyRepository(copy);
    const instrumenter = `${folder}/node_modules/@stryker-mutator/instrumenter/dist/src/index.js`;
    const all = await listMutants(copy, target.mutate, instrumenter);
    const mutants = all.filter(({ fileName }) => fileName.startsWith(within));
    if (mutants.length === 0) {
      console.error(`${name} has no mutants`);
      return false;
    }
    const { seed, size } = options;
    const mutate = sampleMutants(mutants, { seed, size: SPARE * size }).map(rangeOf);
    const code = await runStryker(copy, { ...target, mutate }, options);
    if (code !== 0) return false;
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
    return reportMutants(join(copy, 'mutation.json'), { ...options, name, minutes, total: mutants.length });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/**
 * @param {string} copy
 * @param {import('./targets.mjs').Target} target
 * @param {Omit<MutationOptions, 'names'>} options
 * @returns {Promise<number>}
 */
function runStryker(copy, target, { seed, size, concurrency }) {
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
    jsonReporter: { fileName: 'mutation.json' },
    logLevel: 'warn',
    mutate: target.mutate,
    plugins: [
      `${folder}/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`,
      `${folder}/sample-checker.mjs`,
    ],
    reporters: ['json'],
    sample: { seed, size },
    testRunner: 'vitest',
    // A process with the lowest priority may wait for minutes; a mutant that then times out counts as killed.
    timeoutMS: 120_000,
    vitest: { configFile: 'vitest.mutation.config.ts', related: false, pool: 'forks' },
    warnings: { unknownOptions: false },
  };
  writeFileSync(join(copy, 'stryker.json'), JSON.stringify(configuration));
  const args = [`${folder}/node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', 'stryker.json'];
  const env = { ...process.env, MUTATION_TARGET: JSON.stringify(target) };
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
