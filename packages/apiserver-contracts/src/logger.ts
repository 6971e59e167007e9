/** Keys and values of a log line, printed in the order given. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log. It is passed in, never imported: embedders provide their own. A message is a short sentence without
 * trailing punctuation; variable parts belong in fields.
 * Upstream: k8s.io/klog/v2 (InfoS, ErrorS, V)
 */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  /** `error` may be any thrown value. Its stack is logged if it is a bug, not if it is a Status. */
  error(error: unknown, message: string, fields?: LogFields): void;
  /**
   * This logger if verbosity `level` is enabled, else undefined. A disabled line thus costs one call and no fields:
   * `logger.v(4)?.info('…', { … })`. Levels as upstream: 2 steady state, 3 requests, 4 debug, 6 and above traces.
   */
  v(level: number): Logger | undefined;
  /** A logger for one component; `--vmodule` patterns match the name. */
  named(name: string): Logger;
}

/** Writes nothing. */
export const silentLogger: Logger = {
  info: () => {},
  warning: () => {},
  error: () => {},
  v: () => undefined,
  named: () => silentLogger,
};
