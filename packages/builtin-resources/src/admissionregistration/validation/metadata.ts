import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain, validateObjectMeta } from '@apiserver/apimachinery/validation';

const METADATA = FieldPath.of('metadata');

/** Validates metadata as that of any kind: finalizers of one word are allowed. */
export function validateMetadata({ metadata }: KubeObject): FieldError[] {
  return validateObjectMeta(metadata, { namespaced: false, validateName: nameIsDNSSubdomain, path: METADATA });
}
