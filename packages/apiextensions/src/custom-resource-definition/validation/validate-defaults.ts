import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import {
  CoercionError,
  type CompilePattern,
  coerceResources,
  prune,
  type StructuralNode,
  structuralRoot,
  validateEmbeddedResources,
  valueValidator,
} from '@apiserver/apimachinery/codec/structural';
import { aggregateFieldErrors, type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { type DeclaredDefault, declaredDefaults } from '../../schema/declared-defaults.js';
import { schemaOf } from '../../schema/structural-schema.js';
import { defaultValidationOf } from '../../schema/value-validation.js';

/**
 * Defaults that would not pass as values. Duplicates in lists are for objects to be refused for.
 *
 * Upstream: ValidateDefaults of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go
 */
export function validateDefaults(props: JSONSchemaProps, at: FieldPath, compilePattern: CompilePattern): FieldError[] {
  return declaredDefaults(props, at).flatMap((declared) => {
    const errors = declared.inResource === undefined ? faultsOfResources(declared) : faultsAroundResource(declared);
    if (errors.length > 0) return [...unknownFields(declared), ...errors];
    const validator = valueValidator(defaultValidationOf(declared.props), compilePattern);
    return [...unknownFields(declared), ...validator.validate(declared.props.default, declared.at)];
  });
}

/**
 * Brings the metadata of resources in a schema's defaults into canonical form, as far as it can be. Mutates.
 *
 * Upstream: so does its validation, with what is stored afterwards
 */
export function coerceDefaults(props: JSONSchemaProps): void {
  for (const declared of declaredDefaults(props, FieldPath.none)) {
    if (declared.inResource === undefined) coercionFault(declared.props.default, nodeOf(declared.props), declared.at);
  }
}

function unknownFields({ props, at, inResource }: DeclaredDefault): FieldError[] {
  if (inResource !== undefined) return [];
  const pruned = { value: cloneJson(props.default) };
  prune(pruned, nodeOfField(props));
  return equalJson(pruned.value, props.default)
    ? []
    : [fieldInvalid(at, props.default, 'must not have unknown fields')];
}

/** Of the resources that a default has, or is. */
function faultsOfResources({ props, at }: DeclaredDefault): FieldError[] {
  const value = cloneJson(props.default);
  const node = nodeOf(props);
  const fault = coercionFault(value, node, at);
  return fault === undefined ? validateEmbeddedResources(value, node, at, false) : [fault];
}

/** Of the resource that a default is part of. */
function faultsAroundResource({ props, at, inResource }: DeclaredDefault): FieldError[] {
  if (inResource === undefined) return [];
  const resource = inResource.withDefault(cloneJson(props.default));
  const node = nodeOf(inResource.props);
  const fault = coercionFault(resource, node, FieldPath.none);
  const errors = fault === undefined ? validateEmbeddedResources(resource, node, FieldPath.none, false) : [fault];
  if (errors.length === 0) return [];
  return [fieldInvalid(at, props.default, `must result in valid metadata: ${aggregateFieldErrors(errors)}`)];
}

/** Brings embedded resources into canonical form; answers the error of one that has none. Mutates `value`. */
function coercionFault(value: unknown, node: StructuralNode | undefined, at: FieldPath): FieldError | undefined {
  try {
    coerceResources(value, node, at, ObjectMeta);
    return undefined;
  } catch (error) {
    if (error instanceof CoercionError) return error.fieldError;
    throw error;
  }
}

function nodeOf(props: JSONSchemaProps): StructuralNode | undefined {
  return nodeOfField(props).fields.get('value');
}

/** The schema as the only field of an object. */
function nodeOfField(props: JSONSchemaProps): StructuralNode {
  const schema = schemaOf(props);
  const field = { name: 'value', schema, inline: false, pointer: false, omitEmpty: false, omitZero: false };
  return structuralRoot({
    type: 'struct',
    name: '',
    goName: '',
    fields: [{ ...field, optional: true, proto: 0 }],
    protobuf: false,
  });
}
