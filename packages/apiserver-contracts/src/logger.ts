/** Keys and values that belong to a log line; printed in the order given. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where a package writes what an operator should know. Passed in, never imported: who embeds the server brings their own.
 * A message is a short sentence without trailing punctuation; what varies goes into fields.
 * Upstream: k8s.io/klog/v2 (InfoS, ErrorS, V)
 */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  /** `error` may be any thrown value; its stack is part of the line when it is a bug rather than an answer. */
  error(error: unknown, message: string, fields?: LogFields): void;
  /**
   * This logger if verbosity `level` is on, else undefined, so that a line that is off costs one call and no fields:
   * `logger.v(4)?.info('…', { … })`. Levels as upstream: 2 steady state, 3 requests, 4 debug, 6 and up traces.
   */
  v(level: number): Logger | undefined;
  /** A logger for one part of the program; `--vmodule` patterns match the name. */
  named(name: string): Logger;
}
