import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';

/**
 * The object for validating admission: frozen, so that the object to store cannot be changed. Only the top and the
 * metadata are copied, because the Store only changes those afterwards.
 */
export function admissionView<T extends KubeObject>(object: T): T {
  const view: T = { ...object, metadata: { ...object.metadata } };
  freezeJson(view);
  return view;
}
