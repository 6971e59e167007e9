import type { Logger } from '@apiserver/apiserver-contracts';

/** Writes nothing. */
export const silentLogger: Logger = {
  info: () => {},
  warning: () => {},
  error: () => {},
  v: () => undefined,
  named: () => silentLogger,
};
