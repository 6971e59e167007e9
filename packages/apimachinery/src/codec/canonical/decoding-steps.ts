import { DecodeError } from '../../errors/decode-error.js';

/**
 * Work that can pause: each step takes a few milliseconds, and the last one returns the result. `atOnce` runs them all.
 */
export type DecodingSteps<T> = Generator<void, T>;

/** Runs a recursive decoder. A stack overflow becomes the error of text that is nested too deep. */
export function withinStack<R>(decode: () => R): R {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('syntax', 'exceeded max depth');
    throw error;
  }
}

/** The same in steps. Throws DecodeError for a stack overflow in one of them. */
export function* stepsWithinStack<R>(steps: DecodingSteps<R>): DecodingSteps<R> {
  for (;;) {
    const { done, value } = withinStack(() => steps.next());
    if (done) return value;
    yield;
  }
}
