import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import { type ObjectMetaRules, validateObjectMeta, validateObjectMetaUpdate } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';

/** The rules of a kind beyond those of every object. */
export interface ObjectRules<T extends KubeObject> extends Omit<ObjectMetaRules, 'path'> {
  /** Validates an object on create and update. Default: no errors. */
  validate?(object: T): readonly FieldError[];
  /** Validates an update only, for example immutable fields. Default: no errors. */
  validateChange?(object: T, old: T): readonly FieldError[];
}

/**
 * The strategy of a kind without a status. Metadata is validated as for every object, then the kind's own rules
 * apply. An update must name the version that it replaces, and creates nothing.
 */
export function objectStrategy<T extends KubeObject>(rules: ObjectRules<T>): Strategy<T> {
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    validate: (_context, object) => [
      ...validateObjectMeta(object.metadata, rules),
      ...(rules.validate?.(object) ?? []),
    ],
    validateUpdate: (_context, object, old) => [
      ...validateObjectMetaUpdate(object.metadata, old.metadata),
      ...(rules.validate?.(object) ?? []),
      ...(rules.validateChange?.(object, old) ?? []),
    ],
  };
}
