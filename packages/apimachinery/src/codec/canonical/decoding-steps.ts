import { DecodeError } from '../../errors/decode-error.js';

/**
 * Work that can pause: each step is a few milliseconds of it, the last one answers. `atOnce` takes them all.
 */
export type DecodingSteps<T> = Generator<void, T>;

/** Runs a recursive decoder; text too deep for the stack is too deep altogether. */
export function withinStack<R>(decode: () => R): R {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('syntax', 'exceeded max depth');
    throw error;
  }
}

/** The same of steps. */
export function* stepsWithinStack<R>(steps: DecodingSteps<R>): DecodingSteps<R> {
  for (;;) {
    const { done, value } = withinStack(() => steps.next());
    if (done) return value;
    yield;
  }
}
