import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import {
  type CompilePattern,
  cloneJson,
  equalJson,
  type FieldError,
  type FieldPath,
  fieldInvalid,
  prune,
  type Schema,
  type StructSchema,
  structuralRoot,
  validateListTypes,
  valueValidator,
} from '@apiserver/apimachinery';
import { schemaOf } from '../../schema/structural-schema.js';
import { valueValidationOf } from '../../schema/value-validation.js';

/**
 * Defaults that would not pass as values.
 *
 * Upstream: ValidateDefaults of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go
 */
export function validateDefaults(props: JSONSchemaProps, at: FieldPath, compilePattern: CompilePattern): FieldError[] {
  const { items, properties = {}, additionalProperties: rest } = props;
  const nested = (schema: JSONSchemaProps, path: FieldPath) => validateDefaults(schema, path, compilePattern);
  return [
    ...(props.default === undefined ? [] : validateDefault(props, at.child('default'), compilePattern)),
    ...(items !== undefined && !Array.isArray(items) ? nested(items, at.child('items')) : []),
    ...Object.entries(properties).flatMap(([name, schema]) => nested(schema, at.child('properties').key(name))),
    ...(typeof rest === 'object' ? nested(rest, at.child('additionalProperties')) : []),
  ];
}

function validateDefault(props: JSONSchemaProps, at: FieldPath, compilePattern: CompilePattern): FieldError[] {
  const value = props.default;
  const field = wrapped(schemaOf(props));
  const pruned = { value: cloneJson(value) };
  prune(pruned, field);
  if (!equalJson(pruned.value, value)) return [fieldInvalid(at, value, 'must not have unknown fields')];
  const errors = valueValidator(valueValidationOf(props), compilePattern).validate(value, at);
  return errors.length > 0 ? [...errors] : validateListTypes(value, field.fields.get('value'), at);
}

/** The schema as the only field of an object. */
function wrapped(schema: Schema) {
  const field = { name: 'value', schema, inline: false, pointer: false, omitEmpty: false, omitZero: false };
  const struct: StructSchema = {
    type: 'struct',
    name: '',
    goName: '',
    fields: [{ ...field, optional: true, proto: 0 }],
    protobuf: false,
  };
  return structuralRoot(struct);
}
