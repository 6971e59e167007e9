import type { LogFields, Logger } from '@apiserver/apiserver-contracts';
import type { LogRecord, LogSeverity } from './log-record.js';
import type { LogVerbosity } from './log-verbosity.js';
import type { VModulePattern } from './vmodule.js';
import { pinnedVerbosity } from './vmodule.js';

/** The levels, the clock and the target of a logger. */
export interface LoggerOptions {
  /** Lines up to this level are written. It is read for every line with a level. */
  readonly verbosity: Pick<LogVerbosity, 'level'>;
  readonly vmodule: readonly VModulePattern[];
  readonly now: () => Date;
  /** Receives every enabled line, in order. */
  readonly write: (record: LogRecord) => void;
}

/** A Logger that passes its lines to `write`. */
export function createLogger(options: LoggerOptions): Logger {
  return new LeveledLogger(options, '', 0);
}

class LeveledLogger implements Logger {
  readonly #options: LoggerOptions;
  readonly #name: string;
  readonly #level: number;
  /** The level of the pattern that matches the name. Undefined: the general level applies, which may change. */
  readonly #pinned: number | undefined;

  constructor(options: LoggerOptions, name: string, level: number) {
    this.#options = options;
    this.#name = name;
    this.#level = level;
    this.#pinned = pinnedVerbosity(name, options.vmodule);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('I', message, fields);
  }

  warning(message: string, fields?: LogFields): void {
    this.#write('W', message, fields);
  }

  error(error: unknown, message: string, fields?: LogFields): void {
    this.#write('E', message, fields, error);
  }

  v(level: number): Logger | undefined {
    if (level > (this.#pinned ?? this.#options.verbosity.level)) return undefined;
    return level === this.#level ? this : new LeveledLogger(this.#options, this.#name, level);
  }

  named(name: string): Logger {
    return new LeveledLogger(this.#options, this.#name === '' ? name : `${this.#name}.${name}`, this.#level);
  }

  #write(severity: LogSeverity, message: string, fields: LogFields | undefined, error?: unknown): void {
    const { now, write } = this.#options;
    write({ severity, time: now(), level: this.#level, logger: this.#name, message, fields, error });
  }
}
