import { createHash } from 'node:crypto';

/**
 * A mutant as Stryker's checkers and reports describe it.
 *
 * @typedef {object} Mutant
 * @property {string} id
 * @property {string} fileName relative or absolute, but of one kind for all
 * @property {string} mutatorName
 * @property {string} [replacement]
 * @property {{ start: { line: number, column: number }, end: { line: number, column: number } }} location
 */

/**
 * @typedef {object} Sample
 * @property {number} seed
 * @property {number} size mutants of each folder
 * @property {readonly string[]} folders each with a slash at its end; "" for all files
 */

/**
 * Takes `size` of the mutants of each folder, the same for the same seed as long as the mutated files stay as they are.
 * The first ones of the result are a sample too. A sample of some of the mutants contains all that a sample of more of
 * them contains and that they have.
 *
 * @template {Mutant} M
 * @param {readonly M[]} mutants
 * @param {Sample} sample
 * @returns {M[]}
 */
export function sampleMutants(mutants, { seed, size, folders }) {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const sorted = ranked.map(({ mutant }) => mutant);
  const taken = new Set(
    folders.flatMap((folder) => sorted.filter(({ fileName }) => fileName.startsWith(folder)).slice(0, size)),
  );
  return sorted.filter((mutant) => taken.has(mutant));
}

/**
 * @param {Mutant} mutant
 * @param {number} seed
 */
function rankOf({ fileName, mutatorName, replacement, location: { start, end } }, seed) {
  const place = [start.line, start.column, end.line, end.column].join(':');
  return createHash('sha256').update([seed, fileName, place, mutatorName, replacement].join('\0')).digest('hex');
}
