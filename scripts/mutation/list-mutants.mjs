import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./sample-mutants.mjs').Mutant} Mutant */

/**
 * All mutants that Stryker would make of some files, as its reporters get them: lines and columns from 1 on. Paths are
 * relative.
 *
 * @param {string} copy folder of the files
 * @param {readonly string[]} globs relative to it; one with an exclamation mark excludes files
 * @param {string} instrumenter path of Stryker's instrumenter, which is installed on demand
 * @returns {Promise<(Mutant & { original: string })[]>} with the text that each replaces
 */
export async function listMutants(copy, globs, instrumenter) {
  const { Instrumenter } = await import(instrumenter);
  const included = globs.filter((glob) => !glob.startsWith('!'));
  const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const names = globSync(included, { cwd: copy, exclude: excluded });
  const files = names.map((name) => ({ name, mutate: true, content: readFileSync(join(copy, name), 'utf8') }));
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, isDebugEnabled: () => false };
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  /** @type {{ mutants: Mutant[] }} */
  const { mutants } = await new Instrumenter(logger).instrument(files, options);
  const sources = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  return mutants.map(asReported).map((mutant) => {
    return { ...mutant, original: textAt(sources.get(mutant.fileName) ?? [], mutant.location) };
  });
}

/**
 * @param {readonly string[]} source its lines
 * @param {Mutant['location']} location from line 1 and column 1 on
 */
function textAt(source, { start, end }) {
  const lines = source.slice(start.line - 1, end.line);
  lines[lines.length - 1] = (lines.at(-1) ?? '').slice(0, end.column - 1);
  return lines.join('\n').slice(start.column - 1);
}

/**
 * @template {Mutant} M
 * @param {M} mutant
 * @returns {M}
 */
export function asReported(mutant) {
  const { start, end } = mutant.location;
  return { ...mutant, location: { start: counted(start), end: counted(end) } };
}

/** @param {{ line: number, column: number }} place */
function counted({ line, column }) {
  return { line: line + 1, column: column + 1 };
}

/**
 * The place of a mutant as Stryker's option `mutate` takes it: lines from 1 on, columns from 0 on.
 *
 * @param {Mutant} mutant
 */
export function rangeOf({ fileName, location: { start, end } }) {
  return `${fileName}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}
