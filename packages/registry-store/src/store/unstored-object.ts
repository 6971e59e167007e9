import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/** An answer that storage does not hold: a dry run, an object that its last update removed, a decorated one. */
export function unstoredObject<T extends KubeObject>(object: T): StoredObject<T> {
  freezeJson(object);
  return { object, resourceVersion: object.metadata.resourceVersion ?? '', wire: () => undefined };
}
