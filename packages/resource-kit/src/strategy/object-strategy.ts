import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import {
  nameIsDNSSubdomain,
  type ValidateName,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';

/** The rules of a kind beside those of every object. */
export interface ObjectRules<T extends KubeObject> {
  readonly namespaced: boolean;
  /** Default: a DNS subdomain. */
  readonly validateName?: ValidateName;
  /** Faults of an object, created or updated. Default: none. */
  validate?(object: T): readonly FieldError[];
  /** Faults of an update alone, such as a field that must not change. Default: none. */
  validateChange?(object: T, old: T): readonly FieldError[];
}

const METADATA = FieldPath.of('metadata');

/**
 * The strategy of a kind without a status: metadata is checked as for every object, then the kind's own rules apply. An
 * update names the version that it replaces, and creates nothing.
 */
export function objectStrategy<T extends KubeObject>(rules: ObjectRules<T>): Strategy<T> {
  const { namespaced, validateName = nameIsDNSSubdomain } = rules;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    validate: (_context, object) => [
      ...validateObjectMeta(object.metadata, { namespaced, validateName, path: METADATA }),
      ...(rules.validate?.(object) ?? []),
    ],
    validateUpdate: (_context, object, old) => [
      ...validateObjectMetaUpdate(object.metadata, old.metadata, METADATA),
      ...(rules.validate?.(object) ?? []),
      ...(rules.validateChange?.(object, old) ?? []),
    ],
  };
}
