import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/**
 * The successful Status of an action that creates no object. It has the type of the action's object, because create
 * returns that type; see `Creater.create`.
 */
export function successStatus<T extends KubeObject>(): StoredObject<T> {
  const status: KubeObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  return { object: status as T, resourceVersion: '', wire: () => undefined };
}
