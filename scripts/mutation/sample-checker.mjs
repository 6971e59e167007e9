import { relative } from 'node:path';
import { asReported } from './list-mutants.mjs';
import { sampleMutants } from './sample-mutants.mjs';

/** @typedef {import('./sample-mutants.mjs').Mutant} Mutant */

/**
 * A checker of Stryker's, which has no sampling of its own. It lets the sampled mutants through to the tests. Of all
 * others it says that they do not compile, which leaves them out of every score.
 */
class SampleChecker {
  static inject = /** @type {const} */ (['options']);

  /** @param {{ sample: import('./sample-mutants.mjs').Sample }} options */
  constructor({ sample }) {
    this.sample = sample;
    /** @type {ReadonlySet<string>} */
    this.sampled = new Set();
  }

  async init() {}

  /**
   * Called once, with every mutant but the static ones that Stryker ignores. Those without coverage are among them.
   * Only this process knows the sample, so there must be no other checker.
   *
   * @param {readonly Mutant[]} mutants
   */
  async group(mutants) {
    this.sampled = new Set(sampleMutants(mutants.map(relativeToCopy).map(asReported), this.sample).map(({ id }) => id));
    const others = mutants.map(({ id }) => id).filter((id) => !this.sampled.has(id));
    // Groups are tested in their order, a group by its files.
    return [...[...this.sampled].map((id) => [id]), ...(others.length === 0 ? [] : [others])];
  }

  /** @param {readonly Mutant[]} mutants */
  async check(mutants) {
    const skipped = { status: 'compileError', reason: 'not in the sample' };
    return Object.fromEntries(mutants.map(({ id }) => [id, this.sampled.has(id) ? { status: 'passed' } : skipped]));
  }
}

/** @param {Mutant} mutant */
function relativeToCopy(mutant) {
  return { ...mutant, fileName: relative(process.cwd(), mutant.fileName) };
}

/** Read by Stryker. */
export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }];
