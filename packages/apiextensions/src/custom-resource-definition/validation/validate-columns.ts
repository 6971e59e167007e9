import type { CustomResourceColumnDefinition, CustomResourceSubresources } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/**
 * Upstream: ValidateCustomResourceColumnDefinition of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateColumn(column: CustomResourceColumnDefinition, at: FieldPath): FieldError[] {
  const { name, type, format, jsonPath } = column;
  const types = `must be one of ${TYPES.join(',')}`;
  const errors: FieldError[] = name === '' ? [fieldRequired(at.child('name'), '')] : [];
  if (type === '') errors.push(fieldRequired(at.child('type'), types));
  else if (!TYPES.includes(type)) errors.push(fieldInvalid(at.child('type'), type, types));
  if (format && !FORMATS.includes(format)) {
    errors.push(fieldInvalid(at.child('format'), format, `must be one of ${FORMATS.join(',')}`));
  }
  const path = at.child('JSONPath');
  return [...errors, ...(jsonPath === '' ? [fieldRequired(path, '')] : validateSimplePath(jsonPath, path))];
}

/** Upstream: ValidateCustomResourceDefinitionSubresources */
export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  at: FieldPath,
): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...validateRequiredPath(specReplicasPath, '.spec.', at.child('scale.specReplicasPath')),
    ...validateRequiredPath(statusReplicasPath, '.status.', at.child('scale.statusReplicasPath')),
    ...(labelSelectorPath ? validateSelectorPath(labelSelectorPath, at.child('scale.labelSelectorPath')) : []),
  ];
}

function validateRequiredPath(path: string, below: string, at: FieldPath): FieldError[] {
  if (path === '') return [fieldRequired(at, '')];
  const errors = validateSimplePath(path, at);
  if (errors.length > 0 || path.startsWith(below)) return errors;
  return [fieldInvalid(at, path, `should be a json path under ${below.slice(0, -1)}`)];
}

function validateSelectorPath(path: string, at: FieldPath): FieldError[] {
  const errors = validateSimplePath(path, at);
  if (errors.length > 0 || path.startsWith('.spec.') || path.startsWith('.status.')) return errors;
  // Upstream shows pointers to texts in JSON.
  return [fieldInvalid(at, printedAsJson(path), 'should be a json path under either .spec or .status')];
}

function validateSimplePath(path: string, at: FieldPath): FieldError[] {
  return path.startsWith('.') ? [] : [fieldInvalid(at, path, 'must be a simple json path starting with .')];
}
