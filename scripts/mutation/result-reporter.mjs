import { appendFileSync } from 'node:fs';

/**
 * A reporter of Stryker's. It appends each result to a file at once, as one line of JSON: a stopped run loses none.
 */
class ResultReporter {
  static inject = /** @type {const} */ (['options']);

  /** @param {{ resultFile: string }} options */
  constructor({ resultFile }) {
    this.path = resultFile;
  }

  /** @param {import('./sample-mutants.mjs').Mutant & { status: string }} result */
  onMutantTested({ id, fileName, mutatorName, replacement, location, status }) {
    // It is static. Those that the checker skips are kept: they tell whether the whole sample was tested.
    if (status === 'Ignored') return;
    const result = { id, fileName, mutatorName, replacement, location, status };
    appendFileSync(this.path, `${JSON.stringify(result)}\n`);
  }
}

/** Read by Stryker. */
export const strykerPlugins = [{ kind: 'Reporter', name: 'results', injectableClass: ResultReporter }];
