import { type LogFields, type Logger, silentLogger } from '../logger.js';

/** One logged line. */
export interface LoggedLine {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly fields: LogFields;
  readonly error?: unknown;
}

/** A logger that records its lines, up to the given verbosity. */
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

/** For tests that expect no errors: throws any logged error. */
export const throwingLogger: Logger = {
  ...silentLogger,
  error: (error) => {
    throw error;
  },
  named: () => throwingLogger,
};
