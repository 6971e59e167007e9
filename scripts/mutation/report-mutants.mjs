import { readFileSync } from 'node:fs';
import { sampleMutants } from './sample-mutants.mjs';

/** Percent of the sampled mutants of a target that its tests must kill. */
const GOAL = 85;

/** @typedef {import('./sample-mutants.mjs').Mutant & { status: string, original: string }} TestedMutant */

/**
 * Prints how many of a target's sampled mutants were killed, and each that was not.
 *
 * @param {string} path of Stryker's report
 * @param {{ name: string, minutes: string, seed: number, size: number, total: number }} target
 * @returns {boolean} whether the goal is met
 */
export function reportMutants(path, { name, minutes, total, ...sample }) {
  const mutants = readMutants(path);
  const sampled = sampleMutants(mutants, sample);
  const killed = sampled.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const percent = (100 * killed.length) / Math.max(1, sampled.length);
  const ok = percent >= GOAL;
  const counts = `${killed.length} of ${sampled.length} killed (${percent.toFixed(0)} %), of ${total} in all`;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${minutes.padStart(5)} min  ${name}: ${counts}`);
  console.log(`  ${countsByPackage(sampled, killed)}`);
  // A mutant that never ends is killed by its timeout. On a machine without a free processor any mutant may be.
  const timedOut = killed.filter(({ status }) => status === 'Timeout');
  console.log(`  ${timedOut.length} killed by a timeout`);
  for (const mutant of timedOut) printMutant(mutant);
  for (const mutant of sampled.filter((one) => !killed.includes(one))) printMutant(mutant);
  return ok;
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

/**
 * All but the static ones, which Stryker ignores: they run while a module loads, so each would cost all tests.
 *
 * @param {string} path
 * @returns {TestedMutant[]}
 */
function readMutants(path) {
  /** @type {{ files: Record<string, { source: string, mutants: TestedMutant[] }> }} */
  const { files } = JSON.parse(readFileSync(path, 'utf8'));
  return Object.entries(files).flatMap(([fileName, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status !== 'Ignored')
      .map((mutant) => ({ ...mutant, fileName, original: textAt(source, mutant.location) })),
  );
}

/**
 * @param {string} source
 * @param {TestedMutant['location']} location from line 1 and column 1 on
 */
function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = (lines.at(-1) ?? '').slice(0, end.column - 1);
  return lines.join('\n').slice(start.column - 1);
}
