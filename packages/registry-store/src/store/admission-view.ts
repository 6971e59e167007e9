import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';

/**
 * The object as validating admission sees it: frozen, so that nothing changes what is about to be stored. Only the
 * top and the metadata are copied, because only there the Store still has something to change afterwards.
 */
export function admissionView<T extends KubeObject>(object: T): T {
  const view: T = { ...object, metadata: { ...object.metadata } };
  freezeJson(view);
  return view;
}
