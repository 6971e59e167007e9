import { ParseError, quote } from '@apiserver/apimachinery/text';

/** The verbosity of the log: `-v` at first, later changes at run time. */
export class LogVerbosity {
  #level: number;

  constructor(level: number) {
    this.#level = level;
  }

  get level(): number {
    return this.#level;
  }

  /**
   * Changes the level and returns a confirmation. Throws a ParseError with the reason for an invalid level. Upstream:
   * GlogSetter of component-base/logs
   */
  change(text: string): string {
    const failure = (parse: string, problem: string) => `strconv.${parse}: parsing ${quote(text)}: ${problem}`;
    if (!/^[0-9]+$/.test(text)) throw new ParseError(failure('ParseUint', 'invalid syntax'));
    if (Number(text) >= 2 ** 32) throw new ParseError(failure('ParseUint', 'value out of range'));
    if (Number(text) >= 2 ** 31) {
      throw new ParseError(`failed set klog.logging.verbosity ${text}: ${failure('ParseInt', 'value out of range')}`);
    }
    this.#level = Number(text);
    return `successfully set klog.logging.verbosity to ${text}`;
  }
}
