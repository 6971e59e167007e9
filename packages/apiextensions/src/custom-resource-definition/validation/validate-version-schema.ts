import type { CustomResourceValidation, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { type FieldError, type FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import type { CompilePattern } from '@apiserver/apimachinery/patterns';
import { hasRules } from '../../rules/has-rules.js';
import type { SchemaWithRules } from '../../rules/validate-expressions.js';
import { unsupportedConstruct } from '../../schema/unsupported-construct.js';
import { internalSchema } from './internal-schema.js';
import { validateDefaults } from './validate-defaults.js';
import { validateSchema } from './validate-schema.js';
import { validateStructural } from './validate-structural.js';

/** The context of one validation. */
export interface DefinitionValidation {
  readonly compilePattern: CompilePattern;
  /** Gets the schemas whose rules are to be checked. */
  readonly withRules: SchemaWithRules[];
}

/** A schema's place and version. */
export interface VersionSchemaRules extends DefinitionValidation {
  readonly at: FieldPath;
  /** True if the version has the subresource status. */
  readonly hasStatus: boolean;
  /** True if an update does not change the schema. */
  readonly isStored: boolean;
}

/**
 * Validates the schema of a version, or of all versions.
 * Upstream: validateCustomResourceDefinitionValidation
 */
export function validateVersionSchema(
  schema: CustomResourceValidation | undefined,
  rules: VersionSchemaRules,
): FieldError[] {
  const props = schema?.openAPIV3Schema;
  if (props === undefined) return [];
  const { hasStatus, isStored, compilePattern, withRules } = rules;
  const at = rules.at.child('openAPIV3Schema');
  const faulty = new Set<JSONSchemaProps>();
  const forbidden = validateSchema(props, at, faulty);
  const unsupported = unsupportedConstruct(props);
  const isConvertible = unsupported === undefined;
  const structural = isConvertible ? validateStructural(props, at, compilePattern) : [];
  const isStructural = isConvertible && structural.length === 0;
  const faultyDefaults = new Set<JSONSchemaProps>();
  const defaults = isStructural ? validateDefaults(props, at, compilePattern, faultyDefaults) : [];
  const areDefaultsSound = defaults.length === 0;
  if (isStructural && hasRules(props)) {
    withRules.push({ props, at, faulty, isStored, faultyDefaults, areDefaultsSound });
  }
  const errors = [
    ...(hasStatus ? validateRoot(props, rules.at) : []),
    ...(props.nullable === true
      ? [fieldForbidden(rules.at.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root')]
      : []),
    ...structural,
    ...defaults,
    ...forbidden,
  ];
  return errors.length === 0 && !isConvertible ? [fieldInvalid(at, '', unsupported)] : errors;
}

/** The fields that a root may have beside a status subresource: upstream's names by their JSON names. */
const rootFields: ReadonlyMap<string, string> = new Map(
  [
    'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems',
    'MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations',
  ]
    .join(' ')
    .split(' ')
    .map((name) => [jsonNameOf(name), name]),
);

function jsonNameOf(name: string): string {
  if (name === 'XPreserveUnknownFields') return 'x-kubernetes-preserve-unknown-fields';
  if (name === 'XValidations') return 'x-kubernetes-validations';
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Upstream reports the first field that a root may not have, in the order of its own type. */
const BEFORE_TYPE = ['id', '$schema', '$ref'] as const;

/** With a status subresource, the status is validated separately: constraints at the root must not apply to it. */
function validateRoot(props: NonNullable<CustomResourceValidation['openAPIV3Schema']>, at: FieldPath): FieldError[] {
  const isFaultyFirst = BEFORE_TYPE.some((name) => props[name] !== undefined);
  if (props.type !== undefined && props.type !== 'object' && !isFaultyFirst) {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [fieldInvalid(at.child('openAPIV3Schema.type'), props.type, detail)];
  }
  if (Object.keys(props).every((name) => rootFields.has(name))) return [];
  const allowed = [...rootFields.values()].join(' ');
  const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [fieldInvalid(at.child('openAPIV3Schema'), internalSchema(props), detail)];
}
