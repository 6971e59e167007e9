import { writeFileSync } from 'node:fs';

/** A reporter of vitest that writes the number of errors outside of tests into the file that UNHANDLED_ERRORS names. */
export default class UnhandledErrors {
  /**
   * @param {readonly unknown[]} _modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(_modules, errors) {
    writeFileSync(process.env.UNHANDLED_ERRORS ?? '/dev/null', String(errors.length));
  }
}
