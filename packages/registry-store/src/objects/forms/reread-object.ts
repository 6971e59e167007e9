import type { KubeObject } from '@apiserver/apimachinery';
import { sliceTurn } from '@apiserver/apimachinery/clock';
import type { WriteOptions } from '@apiserver/apiserver-contracts';
import type { ResourceContext } from '../resource-context.js';
import { takeTurns } from '../take-turns.js';

/** The revision in the bytes, which nobody sees. */
const ANY_REVISION = 1;

/**
 * The object as it is read after it was stored: encoded and decoded, with its own resourceVersion. It is converted to
 * the storage version and back, which may lose fields. A large one takes several event loop turns.
 */
export async function rereadObject<T extends KubeObject>(
  { kind: { form }, conversion }: Pick<ResourceContext<T>, 'kind' | 'conversion'>,
  object: T,
  { isLarge = false }: WriteOptions = {},
): Promise<T> {
  const plain = isLarge && form.encodeSteps ? await takeTurns(form.encodeSteps(object)) : form.encode(object);
  if (isLarge) await sliceTurn();
  const read = conversion === undefined ? plain : (await conversion.fromStored(await conversion.toStored(plain))).bytes;
  const { bytes } = form.wire(read, ANY_REVISION);
  const reread = isLarge ? await takeTurns(form.decodeSteps(bytes)) : form.decode(bytes);
  const { resourceVersion } = object.metadata;
  if (resourceVersion === undefined) delete reread.metadata.resourceVersion;
  else reread.metadata.resourceVersion = resourceVersion;
  return reread;
}
