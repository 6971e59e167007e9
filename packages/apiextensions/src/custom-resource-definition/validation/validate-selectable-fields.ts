import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { isParseError } from '@apiserver/apimachinery/text';
import { type ResolvedField, resolveFieldPath } from '../../schema/resolve-field-path.js';
import { unsupportedConstruct } from '../../schema/unsupported-construct.js';

const MAX_FIELDS = 8;
const SELECTABLE_TYPES: ReadonlySet<string> = new Set(['string', 'boolean', 'integer']);
const NOT_SELECTABLE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/** The owner of selectable fields: a version, or the spec for all versions. */
interface Place {
  readonly at: FieldPath;
  readonly isShared: boolean;
}

/** Further fields are counted alone: there are too many in any case, and a response shows as many faults. */
const MAX_JUDGED = 1_000;

/**
 * Finds faults of selectable fields. As upstream, they must be at the level of the schema: beside the versions if
 * common to all, otherwise inside. `props` is the schema of that level.
 *
 * Upstream: ValidateCustomResourceSelectableFields of
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateSelectableFields(
  { selectableFields: fields = [] }: Pick<CustomResourceDefinitionVersion, 'selectableFields'>,
  props: JSONSchemaProps | undefined,
  { at: holder, isShared }: Place,
): FieldError[] {
  if (fields.length === 0) return [];
  const at = holder.child('selectableFields');
  if (props === undefined) {
    const where = isShared ? 'validations.schema is included' : '`version.schema.openAPIV3Schema` is not included';
    return [fieldInvalid(at, '', `may only be set when ${where}`)];
  }
  const unsupported = unsupportedConstruct(props);
  if (unsupported !== undefined) return [fieldInvalid(holder.child('schema.openAPIV3Schema'), '', unsupported)];
  const seen = new Set<string>();
  const errors = fields
    .slice(0, MAX_JUDGED)
    .flatMap(({ jsonPath }, i) =>
      validateSelectableField(jsonPath, props, { at: at.index(i).child('jsonPath'), seen }),
    );
  for (const { jsonPath } of fields.slice(MAX_JUDGED)) seen.add(jsonPath);
  return seen.size > MAX_FIELDS ? [...errors, fieldTooMany(at, seen.size, MAX_FIELDS)] : errors;
}

/** Adds the path to `seen` if it leads to a field. */
function validateSelectableField(
  jsonPath: string,
  props: JSONSchemaProps,
  { at, seen }: { readonly at: FieldPath; readonly seen: Set<string> },
): FieldError[] {
  if (jsonPath === '') return [fieldRequired(at, '')];
  const target = resolved(jsonPath, props);
  if (typeof target === 'string') return [fieldInvalid(at, jsonPath, `is an invalid path: ${target}`)];
  const errors: FieldError[] = [];
  if (target.root === 'metadata') errors.push(fieldInvalid(at, jsonPath, 'must not point to fields in metadata'));
  if (!SELECTABLE_TYPES.has(target.schema.type ?? '')) errors.push(fieldInvalid(at, jsonPath, NOT_SELECTABLE));
  const key = String(target.path);
  if (seen.has(key)) errors.push(fieldDuplicate(at, jsonPath));
  seen.add(key);
  return errors;
}

/** The field, or the reason why it is invalid. */
function resolved(jsonPath: string, props: JSONSchemaProps): ResolvedField | string {
  try {
    return resolveFieldPath(jsonPath, props, 'names');
  } catch (error) {
    if (isParseError(error)) return error.message;
    throw error;
  }
}
