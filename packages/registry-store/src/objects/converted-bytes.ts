import { isStatusError } from '@apiserver/apimachinery/errors';
import { newCorruptObjectError } from '../storage-error.js';
import type { ResourceContext } from './resource-context.js';
import type { Transformed } from './transformer.js';

/**
 * The bytes of the context's version for decrypted bytes at rest. Throws, or rejects with, Corrupt or a StatusError.
 */
export function convertedOf(
  { conversion, metrics }: Pick<ResourceContext<never>, 'conversion' | 'metrics'>,
  { bytes, stale }: Transformed,
  key: string,
): Transformed | Promise<Transformed> {
  if (conversion === undefined) return { bytes, stale };
  const fail = (cause: unknown): never => {
    if (isStatusError(cause)) throw cause;
    metrics?.undecodable();
    throw newCorruptObjectError(key, cause);
  };
  const done = (converted: Transformed): Transformed => (stale ? { bytes: converted.bytes, stale: true } : converted);
  try {
    const converted = conversion.fromStored(bytes);
    return converted instanceof Promise ? converted.then(done, fail) : done(converted);
  } catch (cause) {
    return fail(cause);
  }
}
