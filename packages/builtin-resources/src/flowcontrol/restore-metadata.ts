import type { KubeObject } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';

/** Restores the stored metadata on an update of the status, except for managedFields. Mutates `object`. */
export function restoreMetadata(object: KubeObject, old: KubeObject): void {
  const { managedFields } = object.metadata;
  object.metadata = cloneJson(old.metadata);
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}
