import type { FieldError } from '@apiserver/apimachinery/field';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain, validateObjectMeta, validateObjectMetaUpdate } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import type { Flunder } from './schema.js';

const metadata = FieldPath.of('metadata');

function validate(flunder: Flunder): readonly FieldError[] {
  const errors = validateObjectMeta(flunder.metadata, {
    namespaced: true,
    validateName: nameIsDNSSubdomain,
    path: metadata,
  });
  if (flunder.spec.referenceType !== 'Flunder' || flunder.spec.reference !== flunder.metadata.name) return errors;
  const path = FieldPath.of('spec', 'reference');
  return [...errors, fieldInvalid(path, flunder.spec.reference, 'a flunder must not refer to itself')];
}

/** The rules of flunders. */
export const flunderStrategy: Strategy<Flunder> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: (_context, flunder) => validate(flunder),
  validateUpdate: (_context, flunder, old) => [
    ...validateObjectMetaUpdate(flunder.metadata, old.metadata, metadata),
    ...validate(flunder),
  ],
};
