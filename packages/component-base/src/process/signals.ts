/** A source of signals: the process, or a substitute in a test. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  /** Reads the ID of the shell in which npm runs the process; absent where npm does not. */
  readonly npmShell?: (() => number) | undefined;
}

/** Time after a signal in which npm's copy of the same Ctrl-C arrives. */
const ECHO_MS = 200;

/** Time between two looks at npm's shell. */
const SHELL_INTERVAL_MS = 100;

/**
 * Aborts on the first SIGTERM or SIGINT and calls `exit(1)` on the second, for impatient users.
 * Upstream: k8s.io/apiserver/pkg/server.SetupSignalHandler
 *
 * Under npm, the end of its shell is a signal too: npm sends signals to the shell, and shells such as Debian's end
 * without passing them on. Other shells become the program, which then gets Ctrl-C twice: from the terminal and from npm.
 */
export function shutdownSignal(
  source: SignalSource,
  exit: (code: number) => void,
): { signal: AbortSignal } & Disposable {
  const { npmShell } = source;
  const controller = new AbortController();
  let abortedAt = 0;
  const abort = () => {
    abortedAt = performance.now();
    controller.abort();
  };
  const listener = () => {
    if (!controller.signal.aborted) abort();
    else if (npmShell === undefined || performance.now() - abortedAt > ECHO_MS) exit(1);
  };
  const watch = npmShell && whenChanged(npmShell, abort);
  source.on('SIGTERM', listener);
  source.on('SIGINT', listener);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      watch?.[Symbol.dispose]();
      source.off('SIGTERM', listener);
      source.off('SIGINT', listener);
    },
  };
}

/** Calls `done` once, soon after `read` returns something else than now. */
function whenChanged(read: () => number, done: () => void): Disposable {
  const first = read();
  const timer = setInterval(() => {
    if (read() === first) return;
    clearInterval(timer);
    done();
  }, SHELL_INTERVAL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
