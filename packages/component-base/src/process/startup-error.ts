import { goErrorText } from '@apiserver/apimachinery/errors';

/**
 * The server cannot start for a reason that the administrator can change: an invalid file, a port in use, an impossible
 * flag. The message is printed without a stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** Runs code that only fails for reasons that the administrator can change: its error becomes a StartupError. */
export function orStartupError<T>(make: () => T, prefix = ''): T {
  try {
    return make();
  } catch (error) {
    throw startupErrorOf(error, prefix);
  }
}

/** As `orStartupError`, for a promise. */
export async function orStartupErrorLater<T>(making: Promise<T>, prefix = ''): Promise<T> {
  try {
    return await making;
  } catch (error) {
    throw startupErrorOf(error, prefix);
  }
}

/** A StartupError with the message of another error behind a prefix. */
export function startupErrorOf(error: unknown, prefix: string): StartupError {
  return new StartupError(`${prefix}${goErrorText(error)}`, { cause: error });
}
