import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/**
 * What an order that makes no object is answered with: success, as a Status. It has the type of the object that
 * the order was given in, because that is what creating answers; see `Creater.create`.
 */
export function successStatus<T extends KubeObject>(): StoredObject<T> {
  const status: KubeObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  return { object: status as T, resourceVersion: '', wire: () => undefined };
}
