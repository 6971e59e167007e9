import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/**
 * The object of a create or update, in the type that the endpoint's kind has. For plugins that chose their endpoints by
 * resource; throws a TypeError for a request without an object, which no such plugin is shown.
 */
export function admittedObject<T extends KubeObject>({ object }: AdmissionAttributes): T {
  if (object === undefined) throw new TypeError('admission of an object without the object');
  return object as T;
}

/** What is stored now, in the type of the endpoint's kind; undefined on create. */
export function storedObject<T extends KubeObject>({ oldObject }: AdmissionAttributes): T | undefined {
  return oldObject as T | undefined;
}
