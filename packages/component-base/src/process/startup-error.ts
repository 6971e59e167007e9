import { messageOf } from '@apiserver/apimachinery/errors';

/**
 * The server cannot start, and the operator can change that: a file that does not fit, a port that is taken, a flag that
 * asks for something impossible. The message stands alone; no stack is printed.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** Runs what fails only for a reason that the operator can change: throws its error as a StartupError. */
export function orStartupError<T>(make: () => T, prefix = ''): T {
  try {
    return make();
  } catch (error) {
    throw startupErrorOf(error, prefix);
  }
}

/** The same for a promise. */
export async function orStartupErrorLater<T>(making: Promise<T>, prefix = ''): Promise<T> {
  try {
    return await making;
  } catch (error) {
    throw startupErrorOf(error, prefix);
  }
}

/** A StartupError with the message of another error behind a prefix. */
export function startupErrorOf(error: unknown, prefix: string): StartupError {
  return new StartupError(`${prefix}${messageOf(error)}`, { cause: error });
}
