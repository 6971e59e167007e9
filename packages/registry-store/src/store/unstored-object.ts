import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/** A result that is not in storage: of a dry run, an object removed by its last update, a decorated one. */
export function unstoredObject<T extends KubeObject>(object: T): StoredObject<T> {
  freezeJson(object);
  return { object, resourceVersion: object.metadata.resourceVersion ?? '', wire: () => undefined };
}
