import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import { validateObjectMeta } from '@apiserver/apimachinery/validation';

/** Validates metadata as that of any kind: finalizers of one word are allowed. */
export function validateMetadata({ metadata }: KubeObject): FieldError[] {
  return validateObjectMeta(metadata, { namespaced: false });
}
