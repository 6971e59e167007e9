import type { LogFields, Logger } from '../logger.js';

/** One line as it was logged. */
export interface LoggedLine {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly fields: LogFields;
  readonly error?: unknown;
}

/** A logger that keeps its lines; verbosity is on up to `verbosity`. */
export function createTestLogger(verbosity = 0): { readonly logger: Logger; readonly lines: readonly LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const logger: Logger = {
    info: (message, fields = {}) => lines.push({ level: 'info', message, fields }),
    warning: (message, fields = {}) => lines.push({ level: 'warning', message, fields }),
    error: (error, message, fields = {}) => lines.push({ level: 'error', message, fields, error }),
    v: (level) => (level <= verbosity ? logger : undefined),
    named: () => logger,
  };
  return { logger, lines };
}

/** For tests that do not look at lines. */
export const silentLogger: Logger = {
  info: () => {},
  warning: () => {},
  error: () => {},
  v: () => undefined,
  named: () => silentLogger,
};

/** For tests in which nothing may go wrong: an error that is logged is thrown. */
export const throwingLogger: Logger = {
  ...silentLogger,
  error: (error) => {
    throw error;
  },
  named: () => throwingLogger,
};
