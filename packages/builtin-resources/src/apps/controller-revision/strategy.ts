import type { ControllerRevision } from '@apiserver/api/apps/v1';
import { type FieldError, FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { validateImmutableField, validateNonnegative } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';

const DATA = FieldPath.of('data');
const REVISION = FieldPath.of('revision');

/** Upstream: ValidateControllerRevisionCreate of pkg/apis/apps/validation/validation.go */
function validateCreate(object: ControllerRevision): readonly FieldError[] {
  const { data } = object;
  const errors = validate(object);
  if (data === undefined || data === null) return [...errors, fieldRequired(DATA, 'data is mandatory')];
  const isObject = typeof data === 'object' && !Array.isArray(data);
  return isObject ? errors : [...errors, fieldRequired(DATA, 'data must be a valid JSON object')];
}

function validate({ metadata, revision }: ControllerRevision): FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: true }), ...validateNonnegative(revision, REVISION)];
}

/** Upstream: pkg/registry/apps/controllerrevision/strategy.go */
export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, object) => validateCreate(object),
  validateUpdate: (_context, object, old) => [
    ...validateBuiltInObjectMetaUpdate(object.metadata, old.metadata),
    ...validate(object),
    ...validateImmutableField(object.data, old.data, DATA),
  ],
};
