/** A source of signals: the process, or a substitute in a test. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

/**
 * Aborts on the first SIGTERM or SIGINT and calls `exit(1)` on the second, for impatient users.
 * Upstream: k8s.io/apiserver/pkg/server.SetupSignalHandler
 */
export function shutdownSignal(
  source: SignalSource,
  exit: (code: number) => void,
): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) exit(1);
    else controller.abort();
  };
  source.on('SIGTERM', listener);
  source.on('SIGINT', listener);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      source.off('SIGTERM', listener);
      source.off('SIGINT', listener);
    },
  };
}
