import { setImmediate } from 'node:timers/promises';
import type { KubeObject } from '@apiserver/apimachinery';
import type { WriteOptions } from '@apiserver/apiserver-contracts';
import { takeTurns } from '../take-turns.js';
import type { ObjectForm } from './object-form.js';

/** The revision in the bytes, which nobody sees. */
const ANY_REVISION = 1;

/**
 * The object as it is read after it was stored: encoded and decoded, with its own resourceVersion. A large one takes
 * several event loop turns.
 */
export async function rereadObject<T extends KubeObject>(
  form: ObjectForm<T>,
  object: T,
  { isLarge = false }: WriteOptions = {},
): Promise<T> {
  const atRest = isLarge && form.encodeSteps ? await takeTurns(form.encodeSteps(object)) : form.encode(object);
  if (isLarge) await setImmediate();
  const { bytes } = form.wire(atRest, ANY_REVISION);
  const reread = isLarge ? await takeTurns(form.decodeSteps(bytes)) : form.decode(bytes);
  const { resourceVersion } = object.metadata;
  if (resourceVersion === undefined) delete reread.metadata.resourceVersion;
  else reread.metadata.resourceVersion = resourceVersion;
  return reread;
}
