/**
 * The server cannot start, and the operator can change that: a file that does not fit, a port that is taken, a flag that
 * asks for something impossible. The message stands alone; no stack is printed.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
