import type { LogFields } from '@apiserver/apiserver-contracts';

/** klog's severities by their first letter: info, warning, error. */
export type LogSeverity = 'I' | 'W' | 'E';

/** One line before it is written. */
export interface LogRecord {
  readonly severity: LogSeverity;
  readonly time: Date;
  /** The `v(level)` it was written at; 0 for what is always on. */
  readonly level: number;
  /** Part of the program; "" for the main program. */
  readonly logger: string;
  readonly message: string;
  /** Undefined for a line that is text alone. */
  readonly fields: LogFields | undefined;
  /** What was thrown; undefined when nothing was. */
  readonly error?: unknown;
}
