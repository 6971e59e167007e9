import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/** An object that came over a wire. */
export function remoteObject<T extends KubeObject>(object: T): StoredObject<T> {
  return { object, resourceVersion: object.metadata.resourceVersion ?? '', wire: () => undefined };
}
