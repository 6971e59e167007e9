import type { LogFields } from '@apiserver/apiserver-contracts';

/** klog's severities by their first letter: info, warning, error. */
export type LogSeverity = 'I' | 'W' | 'E';

/** One line before it is written. */
export interface LogRecord {
  readonly severity: LogSeverity;
  readonly time: Date;
  /** The `v(level)` of the record; 0 for one that is always enabled. */
  readonly level: number;
  /** Part of the program; "" for the main program. */
  readonly logger: string;
  readonly message: string;
  /** Undefined for a line that is text alone. */
  readonly fields: LogFields | undefined;
  /** The thrown value; undefined if there is none. */
  readonly error?: unknown;
}
