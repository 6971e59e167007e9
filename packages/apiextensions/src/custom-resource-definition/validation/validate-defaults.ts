import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import {
  CoercionError,
  coerceResources,
  type StructuralNode,
  structuralRoot,
  validateEmbeddedResources,
  valueValidator,
} from '@apiserver/apimachinery/codec/structural';
import { aggregateFieldErrors, type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { CompilePattern } from '@apiserver/apimachinery/patterns';
import {
  type DeclaredDefault,
  declaredDefaults,
  hasStructuredDefault,
  isStructured,
} from '../../schema/declared-defaults.js';
import { hasUndeclaredMembers } from '../../schema/has-undeclared-members.js';
import { schemaOf } from '../../schema/structural-schema.js';
import { defaultValidationOf } from '../../schema/value-validation.js';
import { sortedValue } from './internal-schema.js';

/**
 * Finds defaults that are invalid as values; `faulty` gets the schemas with them. Rules about the others are checked
 * later. Duplicates in lists are not checked here, only in objects.
 *
 * Upstream: ValidateDefaults of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go
 */
export function validateDefaults(
  props: JSONSchemaProps,
  at: FieldPath,
  compilePattern: CompilePattern,
  faulty: Set<JSONSchemaProps>,
): FieldError[] {
  return declaredDefaults(props, at).flatMap((declared) => {
    const faults = faultsOf(declared, compilePattern);
    if (faults.length > 0) faulty.add(declared.declaring);
    return [...unknownFields(declared), ...faults];
  });
}

function faultsOf(declared: DeclaredDefault, compilePattern: CompilePattern): readonly FieldError[] {
  const errors = declared.inResource === undefined ? faultsOfResources(declared) : faultsAroundResource(declared);
  if (errors.length > 0) return errors;
  return valueValidator(defaultValidationOf(declared.props), compilePattern).validate(
    declared.props.default,
    declared.at,
  );
}

/**
 * Converts the metadata of resources in a schema's defaults to canonical form if possible. Mutates.
 *
 * Upstream: a side effect of its validation, kept in the stored definition
 */
export function coerceDefaults(props: JSONSchemaProps): void {
  if (!hasStructuredDefault(props)) return;
  for (const declared of declaredDefaults(props, FieldPath.none)) {
    if (declared.inResource === undefined) coercionFault(declared.props.default, nodeOf(declared.props), declared.at);
  }
}

function unknownFields({ props, at, inResource }: DeclaredDefault): FieldError[] {
  if (inResource !== undefined || !isStructured(props.default)) return [];
  return hasUndeclaredMembers(props.default, props)
    ? [fieldInvalid(at, sortedValue(props.default), 'must not have unknown fields')]
    : [];
}

/** Faults of the resources that a default is or contains. */
function faultsOfResources({ props, at }: DeclaredDefault): FieldError[] {
  if (!isStructured(props.default)) return [];
  const value = cloneJson(props.default);
  const node = nodeOf(props);
  const fault = coercionFault(value, node, at);
  return fault === undefined ? validateEmbeddedResources(value, node, at, false) : [fault];
}

/** Faults of the resource that contains a default. */
function faultsAroundResource({ props, at, inResource }: DeclaredDefault): FieldError[] {
  if (inResource === undefined) return [];
  const resource = inResource.withDefault(cloneJson(props.default));
  const node = nodeOf(inResource.props);
  const fault = coercionFault(resource, node, FieldPath.none);
  const errors = fault === undefined ? validateEmbeddedResources(resource, node, FieldPath.none, false) : [fault];
  if (errors.length === 0) return [];
  return [
    fieldInvalid(at, sortedValue(props.default), `must result in valid metadata: ${aggregateFieldErrors(errors)}`),
  ];
}

/** Converts embedded resources to canonical form; returns the error if that fails. Mutates `value`. */
function coercionFault(value: unknown, node: StructuralNode | undefined, at: FieldPath): FieldError | undefined {
  try {
    coerceResources(value, node, at, ObjectMeta);
    return undefined;
  } catch (error) {
    if (error instanceof CoercionError) return error.fieldError;
    throw error;
  }
}

/** The node of the only field of an object schema. */
function nodeOf(props: JSONSchemaProps): StructuralNode | undefined {
  const schema = schemaOf(props);
  const field = { name: 'value', schema, inline: false, pointer: false, omitEmpty: false, omitZero: false };
  const fields = [{ ...field, optional: true, proto: 0 }];
  return structuralRoot({ type: 'struct', name: '', goName: '', fields, protobuf: false }).fields.get('value');
}
