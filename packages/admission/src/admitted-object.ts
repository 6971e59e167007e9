import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/**
 * The object of a create or update, in the type of the endpoint's kind. For plugins that select their endpoints by
 * resource. Throws a TypeError for a request without an object; such a plugin never receives one.
 */
export function admittedObject<T extends KubeObject>({ object }: AdmissionAttributes): T {
  if (object === undefined) throw new TypeError('admission of an object without the object');
  return object as T;
}

/** The stored object, in the type of the endpoint's kind; undefined on create. */
export function storedObject<T extends KubeObject>({ oldObject }: AdmissionAttributes): T | undefined {
  return oldObject as T | undefined;
}
