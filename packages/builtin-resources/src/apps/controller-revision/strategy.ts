import type { ControllerRevision } from '@apiserver/api/apps/v1';
import { type FieldError, FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { validateImmutableField, validateNonnegative } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { METADATA } from '../paths.js';
import { validateWorkloadMeta } from '../workload-template.js';

const DATA = FieldPath.of('data');
const REVISION = FieldPath.of('revision');

/** Upstream: ValidateControllerRevision of pkg/apis/apps/validation/validation.go */
function validate({ metadata, data, revision }: ControllerRevision): readonly FieldError[] {
  return [
    ...validateWorkloadMeta(metadata),
    ...(data === undefined || data === null ? [fieldRequired(DATA, 'data is mandatory')] : []),
    ...validateNonnegative(Number(revision), REVISION),
  ];
}

/** Upstream: pkg/registry/apps/controllerrevision/strategy.go */
export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, object) => validate(object),
  validateUpdate: (_context, object, old) => [
    ...validateBuiltInObjectMetaUpdate(object.metadata, old.metadata, METADATA),
    ...validateNonnegative(Number(object.revision), REVISION),
    ...validateImmutableField(object.data, old.data, DATA),
  ],
};
