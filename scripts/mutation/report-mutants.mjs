import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { rangeOf } from './list-mutants.mjs';
import { sampleMutants } from './sample-mutants.mjs';

/** Percent of the sampled mutants of a target that its tests must kill. */
const GOAL = 85;

/** @typedef {import('./sample-mutants.mjs').Mutant & { status: string, original: string }} TestedMutant */

/**
 * Prints how many of a target's sampled mutants were killed, and each that was not.
 *
 * @param {string} path of the file with the results, one on a line
 * @param {object} run
 * @param {string} run.name of the target
 * @param {string} run.minutes
 * @param {string} run.copy folder of the mutated files
 * @param {import('./sample-mutants.mjs').Sample} run.sample
 * @param {boolean} run.stopped before all mutants were tested
 * @param {readonly (import('./sample-mutants.mjs').Mutant & { original: string })[]} run.mutants all of the target
 * @returns {boolean} true if the goal is met by the whole sample
 */
export function reportMutants(path, { name, minutes, copy, sample, stopped, mutants }) {
  const originals = new Map(mutants.map((mutant) => [rangeOf(mutant), mutant.original]));
  const available = readResults(path, copy).map((one) => ({ ...one, original: originals.get(rangeOf(one)) ?? '' }));
  const results = available.filter(({ status }) => status !== 'CompileError');
  const untested = stopped ? 0 : sampleMutants(available, sample).length - results.length;
  const tested = stopped ? firstOf(results, sample) : results;
  const killed = tested.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const percent = (100 * killed.length) / Math.max(1, tested.length);
  const ok = percent >= GOAL && !stopped && untested <= 0;
  const counts = `${killed.length} of ${tested.length} killed (${percent.toFixed(0)} %), of ${mutants.length} in all`;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${minutes.padStart(5)} min  ${name}: ${counts}`);
  if (stopped) console.log(`  stopped after ${tested.length} of ${sample.size * sample.folders.length} mutants`);
  if (untested > 0) console.log(`  ${untested} more mutants of the sample were not tested`);
  console.log(`  ${countsByPackage(tested, killed)}`);
  // A mutant that never ends is killed by its timeout. On a machine without a free processor any mutant may be.
  const timedOut = killed.filter(({ status }) => status === 'Timeout');
  console.log(`  ${timedOut.length} killed by a timeout`);
  for (const mutant of timedOut) printMutant(mutant);
  for (const mutant of tested.filter((one) => !killed.includes(one))) printMutant(mutant);
  return ok;
}

/**
 * The results that a stopped run has of the first mutants of its sample. Those without coverage are known at once, so
 * they only count up to the last tested one.
 *
 * @template {TestedMutant} M
 * @param {readonly M[]} results
 * @param {import('./sample-mutants.mjs').Sample} sample
 */
function firstOf(results, sample) {
  const ordered = sampleMutants(results, sample);
  return ordered.slice(0, ordered.findLastIndex(({ status }) => status !== 'NoCoverage') + 1);
}

/**
 * @param {string} path
 * @param {string} copy folder that the paths of files are made relative to
 * @returns {Omit<TestedMutant, 'original'>[]}
 */
function readResults(path, copy) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return results.map((result) => ({ ...result, fileName: relative(copy, result.fileName).replaceAll('\\', '/') }));
}

/**
 * The counts of each package: `admission 20 of 22, authorization 9 of 10`.
 *
 * @param {readonly TestedMutant[]} sampled
 * @param {readonly TestedMutant[]} killed
 */
function countsByPackage(sampled, killed) {
  const groups = Object.groupBy(sampled, ({ fileName }) => fileName.split('/')[1] ?? fileName);
  return Object.entries(groups)
    .map(
      ([name, mutants = []]) => `${name} ${mutants.filter((one) => killed.includes(one)).length} of ${mutants.length}`,
    )
    .sort()
    .join(', ');
}

/** @param {TestedMutant} mutant */
function printMutant({ status, fileName, location, original, replacement = '' }) {
  console.log(`  ${status}  ${fileName}:${location.start.line}:${location.start.column}`);
  console.log(`    ${brief(original)}  ->  ${brief(replacement)}`);
}

/** @param {string} text */
function brief(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}
