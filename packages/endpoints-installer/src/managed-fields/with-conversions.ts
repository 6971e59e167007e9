import { plainFailure } from '@apiserver/apimachinery/errors';

/** Enough for ten managers of other versions. */
const MAX_CONVERSIONS = 64;

/**
 * Thrown by the merge, which is synchronous, when it needs an object in another version and only a webhook can convert
 * it. `withConversions` then converts the object and starts the merge again.
 */
export class ConversionNeeded extends Error {
  /** Converts the object and keeps the result. Does not reject. */
  readonly convert: () => Promise<void>;
  /** Drops the result. */
  readonly forget: () => void;

  constructor(steps: { readonly convert: () => Promise<void>; readonly forget: () => void }) {
    super('an object must be converted first');
    this.convert = steps.convert;
    this.forget = steps.forget;
  }
}

/** Runs a merge, and repeats it after each conversion that it needs. A merge without conversions runs once, at once. */
export function withConversions<R>(run: () => R | Promise<R>): R | Promise<R> {
  try {
    const result = run();
    return result instanceof Promise ? result.catch((error: unknown) => again(run, error)) : result;
  } catch (error) {
    if (!(error instanceof ConversionNeeded)) throw error;
    return again(run, error);
  }
}

async function again<R>(run: () => R | Promise<R>, first: unknown): Promise<R> {
  const needed: ConversionNeeded[] = [];
  try {
    for (let error = first; ; ) {
      if (!(error instanceof ConversionNeeded)) throw error;
      if (needed.length === MAX_CONVERSIONS) throw plainFailure(500, 'the managed fields need too many conversions');
      needed.push(error);
      await error.convert();
      try {
        return await run();
      } catch (next) {
        error = next;
      }
    }
  } finally {
    for (const { forget } of needed) forget();
  }
}
