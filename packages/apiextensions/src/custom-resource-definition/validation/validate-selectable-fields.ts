import type { JSONSchemaProps, SelectableField } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery';

const MAX_FIELDS = 8;
const SELECTABLE_TYPES: ReadonlySet<string> = new Set(['string', 'boolean', 'integer']);
const NOT_SELECTABLE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/** Upstream: ValidateCustomResourceSelectableFields of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  props: JSONSchemaProps,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const path = at.index(i).child('jsonPath');
    if (jsonPath === '') {
      errors.push(fieldRequired(path, ''));
      continue;
    }
    const names = namesOf(jsonPath);
    const target = names && schemaAt(props, names);
    if (names === undefined || target === undefined) {
      errors.push(fieldInvalid(path, jsonPath, 'is an invalid path: does not refer to a valid field'));
      continue;
    }
    if (names[0] === 'metadata') errors.push(fieldInvalid(path, jsonPath, 'must not point to fields in metadata'));
    if (!SELECTABLE_TYPES.has(target.type ?? '')) errors.push(fieldInvalid(path, jsonPath, NOT_SELECTABLE));
    const key = names.join('.');
    if (seen.has(key)) errors.push(fieldDuplicate(path, jsonPath));
    seen.add(key);
  }
  return seen.size > MAX_FIELDS ? [...errors, fieldTooMany(at, seen.size, MAX_FIELDS)] : errors;
}

/** Names along a path of fields; array notation is not part of it. */
function namesOf(path: string): readonly string[] | undefined {
  return /^(\.[A-Za-z_][A-Za-z0-9_-]*)+$/.test(path) ? path.slice(1).split('.') : undefined;
}

function schemaAt(props: JSONSchemaProps, names: readonly string[]): JSONSchemaProps | undefined {
  let schema: JSONSchemaProps | undefined = props;
  for (const name of names) schema = schema?.properties?.[name];
  return schema;
}
