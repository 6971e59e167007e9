import type { Logger } from '@apiserver/apiserver-contracts';
import { createLogger } from './logger.js';
import { formatText } from './text-format.js';

/** A console as far as a logger needs it. */
export interface ConsoleLoggerOptions {
  /** Lines up to this level are written; 2 suits a running server. Default: 0. */
  readonly verbosity?: number;
  /** Default: the console of the process, which writes to stderr. */
  readonly console?: Pick<Console, 'error'>;
}

/** Writes lines in klog's text form to a console. */
export function consoleLogger({ verbosity = 0, console: target = console }: ConsoleLoggerOptions = {}): Logger {
  return createLogger({
    verbosity: { level: verbosity },
    vmodule: [],
    now: () => new Date(),
    write: (record) => target.error(formatText(record, process.pid).trimEnd()),
  });
}
