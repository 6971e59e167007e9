import { readFileSync } from 'node:fs';
import type { Logger } from '@apiserver/apiserver-contracts';
import { watchFiles } from './watch-files.js';

/** The files, and the requirements on their content. */
export interface DynamicFilesOptions {
  /** For the log: "serving-cert::/pki/a.crt::/pki/a.key". */
  readonly name: string;
  readonly paths: readonly string[];
  /** Throws for unusable contents, alone or in combination. */
  readonly verify: (contents: readonly string[]) => void;
  readonly logger: Logger;
}

/**
 * Related files that may be replaced while the server runs. `contents` is the last usable version.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates
 */
export class DynamicFiles {
  readonly #options: DynamicFilesOptions;
  readonly #listeners = new Set<() => void>();
  /** Listeners that have not yet taken the contents. */
  readonly #waiting = new Set<() => void>();
  #contents: readonly string[];

  /** Reads the files. Throws when one cannot be read, or when `verify` throws. */
  constructor(options: DynamicFilesOptions) {
    this.#options = options;
    this.#contents = this.#read();
  }

  /** The texts of the files, in the order of their paths. */
  get contents(): readonly string[] {
    return this.#contents;
  }

  /** Calls `listener` whenever there are new contents. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Follows the files until `signal` aborts: at once if the system reports changes, else within a minute. */
  follow(signal: AbortSignal): void {
    const { paths, logger } = this.#options;
    watchFiles({ paths, changed: () => this.reload(), signal, logger });
  }

  /**
   * Applies the current files; unusable ones are logged and ignored. A listener that throws is logged, and called again
   * by the next reload, as upstream's queues of listeners do.
   */
  reload(): void {
    const { name, logger } = this.#options;
    try {
      this.#apply(this.#read());
    } catch (error) {
      logger.error(error, 'Failed to load new content, the old one stays in use', { name });
    }
    for (const listener of this.#waiting) this.#deliver(listener);
  }

  #apply(contents: readonly string[]): void {
    if (contents.every((content, index) => content === this.#contents[index])) return;
    this.#contents = contents;
    for (const listener of this.#listeners) this.#waiting.add(listener);
    this.#options.logger.v(2)?.info('Loaded new content', { name: this.#options.name });
  }

  #deliver(listener: () => void): void {
    const { name, logger } = this.#options;
    try {
      listener();
      this.#waiting.delete(listener);
    } catch (error) {
      logger.error(error, 'Failed to use new content, another attempt follows', { name });
    }
  }

  #read(): readonly string[] {
    const contents = this.#options.paths.map((path) => readFileSync(path, 'utf8'));
    this.#options.verify(contents);
    return contents;
  }
}
