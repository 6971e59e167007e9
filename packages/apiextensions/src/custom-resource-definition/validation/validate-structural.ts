import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldErrorMessage,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { type CompilePattern, PatternError } from '@apiserver/apimachinery/patterns';
import { withoutEmptyMembers } from '../empty-members.js';

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];
const NO_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Schemas without faults. A stored one is frozen, and often the very schema that was validated when it was sent. */
const structural = new WeakSet<JSONSchemaProps>();

/**
 * The reasons why a schema is not structural. `validateSchema` finds constructs that upstream's NewStructural
 * rejects.
 *
 * Upstream: ValidateStructural of k8s.io/apiextensions-apiserver/pkg/apiserver/schema
 */
export function validateStructural(
  props: JSONSchemaProps,
  at: FieldPath,
  compilePattern: CompilePattern,
): FieldError[] {
  if (structural.has(props) && Object.isFrozen(props)) return [];
  const errors: FieldError[] = [];
  new StructuralRules(compilePattern, errors).invariants(props, 'root', at);
  appendAll(errors, completeness(props, at));
  if (errors.length === 0) structural.add(props);
  return sortedByMessage(errors);
}

/** A message is made once for each error: the path of a deep one has thousands of characters. */
function sortedByMessage(errors: readonly FieldError[]): FieldError[] {
  const messages = errors.map((error) => [fieldErrorMessage(error), error] as const);
  return messages.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error);
}

/** The `anyOf` of integers or strings is no value validation. It is in the schema, or in the first of its `allOf`. */
interface SkippedValues {
  readonly skipsAnyOf: boolean;
  readonly allOfMaySkip: boolean;
}

/** Adds all errors to one list: a definition has hundreds of schemas, and nearly all have none. */
class StructuralRules {
  readonly #compilePattern: CompilePattern;
  readonly #errors: FieldError[];

  constructor(compilePattern: CompilePattern, errors: FieldError[]) {
    this.#compilePattern = compilePattern;
    this.#errors = errors;
  }

  invariants(props: JSONSchemaProps, level: Level, at: FieldPath): void {
    const errors = this.#errors;
    const { items, properties, additionalProperties: rest, anyOf } = props;
    if (items === undefined || Array.isArray(items)) {
      if (props.type === 'array') errors.push(fieldRequired(at.child('items'), 'must be specified'));
    } else this.invariants(items, 'item', at.child('items'));
    if (properties !== undefined) {
      const below = at.child('properties');
      for (const name in properties) {
        const nested = properties[name];
        if (nested !== undefined) this.invariants(nested, 'field', below.key(name));
      }
    }
    if (rest !== undefined && level === 'root') {
      errors.push(fieldForbidden(at.child('additionalProperties'), 'must not be used at the root'));
    }
    if (typeof rest === 'object') this.invariants(rest, 'field', at.child('additionalProperties'));
    if (props['x-kubernetes-int-or-string'] === true) appendAll(errors, validateExtensions(props, at));
    this.#values(props, at, { skipsAnyOf: isIntOrString(anyOf), allOfMaySkip: true });
    validateType(props, level, at, errors);
    if (level === 'root' || props['x-kubernetes-embedded-resource'] === true) {
      appendAll(errors, validateResourceFields(props, level, at));
    }
  }

  #values(props: JSONSchemaProps, at: FieldPath, { skipsAnyOf, allOfMaySkip }: SkippedValues): void {
    const { anyOf, allOf, oneOf, not, pattern } = props;
    if (anyOf !== undefined && !skipsAnyOf) this.#eachNested(anyOf, at.child('anyOf'));
    if (allOf !== undefined) this.#eachNested(allOf, at.child('allOf'), { firstMaySkip: allOfMaySkip });
    if (oneOf !== undefined) this.#eachNested(oneOf, at.child('oneOf'));
    if (not !== undefined) this.#nested(not, at.child('not'));
    if (pattern) this.#pattern(pattern, at);
  }

  #eachNested(schemas: readonly JSONSchemaProps[], at: FieldPath, { firstMaySkip } = { firstMaySkip: false }): void {
    for (const [i, nested] of schemas.entries()) {
      this.#nested(nested, at.index(i), { skipsAnyOf: firstMaySkip && i === 0 && isIntOrString(nested.anyOf) });
    }
  }

  #pattern(pattern: string, at: FieldPath): void {
    try {
      this.#compilePattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const detail = `must be a valid regular expression, but isn't: ${error.message}`;
      this.#errors.push(fieldInvalid(at.child('pattern'), pattern, detail));
    }
  }

  /** Below a junctor, only value validation is allowed, no structure. */
  #nested(props: JSONSchemaProps, at: FieldPath, { skipsAnyOf } = { skipsAnyOf: false }): void {
    const { items, properties } = props;
    this.#values(props, at, { skipsAnyOf, allOfMaySkip: false });
    if (items !== undefined && !Array.isArray(items)) this.#nested(items, at.child('items'));
    for (const name in properties) {
      const nested = properties[name];
      if (nested !== undefined) this.#nested(nested, at.child('properties').key(name));
    }
    appendAll(this.#errors, forbiddenBelowJunctors(props, at));
  }
}

const MUST_BE_EMPTY = 'must be empty to be structural';
const MUST_BE_UNDEFINED = 'must be undefined to be structural';
const MUST_BE_FALSE = 'must be false to be structural';

const belowJunctors: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ['type', MUST_BE_EMPTY],
  ['additionalProperties', MUST_BE_UNDEFINED],
  ['default', MUST_BE_UNDEFINED],
  ['title', MUST_BE_EMPTY],
  ['description', MUST_BE_EMPTY],
  ['nullable', MUST_BE_FALSE],
  ['x-kubernetes-preserve-unknown-fields', MUST_BE_FALSE],
  ['x-kubernetes-embedded-resource', MUST_BE_FALSE],
  ['x-kubernetes-int-or-string', MUST_BE_FALSE],
  ['x-kubernetes-list-map-keys', MUST_BE_EMPTY],
  ['x-kubernetes-list-type', MUST_BE_UNDEFINED],
  ['x-kubernetes-map-type', MUST_BE_UNDEFINED],
  ['x-kubernetes-validations', MUST_BE_EMPTY],
];

function forbiddenBelowJunctors(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== false;
  const errors = belowJunctors
    .filter(([name, why]) => isSet(props[name]) && !(why === MUST_BE_EMPTY && isEmpty(props[name])))
    .map(([name, why]) => fieldForbidden(at.child(name), why));
  if (props.properties?.['metadata'] !== undefined) {
    const path = at.child('properties').key('metadata');
    errors.push(fieldForbidden(path, 'must not be specified in a nested context'));
  }
  return errors;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** Of a schema with x-kubernetes-int-or-string. */
function validateExtensions(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => props[name] === true)
    .map((name) => fieldInvalid(at.child(name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

function validateType(props: JSONSchemaProps, level: Level, at: FieldPath, errors: FieldError[]): void {
  const { type = '' } = props;
  const embedded = props['x-kubernetes-embedded-resource'] === true;
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    const path = at.child('type');
    errors.push(type === '' ? fieldRequired(path, detail) : fieldInvalid(path, type, detail));
  } else if (type === '' && !props['x-kubernetes-int-or-string'] && !props['x-kubernetes-preserve-unknown-fields']) {
    errors.push(fieldRequired(at.child('type'), NO_TYPE[level]));
  }
  if (embedded && props.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(fieldForbidden(at.child('additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(fieldInvalid(at.child('type'), type, 'must be object at the root'));
  }
}

const RESOURCE_FIELDS = [
  ['kind', 'string'],
  ['apiVersion', 'string'],
  ['metadata', 'object'],
] as const;

/** Constraints on the type and metadata fields in the schema of a whole object: the root, or an embedded one. */
function validateResourceFields(props: JSONSchemaProps, level: Level, at: FieldPath): FieldError[] {
  const embedded = props['x-kubernetes-embedded-resource'] === true;
  const { properties = {} } = props;
  const errors: FieldError[] = [];
  for (const [name, type] of RESOURCE_FIELDS) {
    const field = properties[name];
    if (field === undefined || field.type === type) continue;
    errors.push(fieldInvalid(at.child('properties').key(name).child('type'), field.type ?? '', `must be ${type}`));
  }
  const { metadata } = properties;
  if (level === 'root' && metadata !== undefined && specifiesMoreThanNames(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(fieldForbidden(at.child('properties').key('metadata'), detail));
  }
  if (embedded && !props['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(fieldRequired(at.child('properties'), detail));
  }
  return errors;
}

function specifiesMoreThanNames(metadata: JSONSchemaProps): boolean {
  const { type: _t, default: _d, properties = {}, ...rest } = metadata;
  const named = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
  return !named || Object.keys(rest).length > 0;
}

/**
 * Fields in the root's junctors must also be declared outside of them, otherwise they would be pruned. Deeper
 * junctors are not checked, as upstream.
 *
 * Upstream: ValidateStructuralCompleteness of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/complete.go
 */
function completeness(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  return junctorsOf(props, at).flatMap(([nested, path]) => declaredOutside(nested, props, at, path));
}

function junctorsOf(props: JSONSchemaProps, at: FieldPath): readonly (readonly [JSONSchemaProps, FieldPath])[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = props;
  const each = (schemas: readonly JSONSchemaProps[], name: string) =>
    schemas.map((nested, i) => [nested, at.child(name).index(i)] as const);
  return [
    ...(not === undefined ? [] : [[not, at.child('not')] as const]),
    ...each(allOf, 'allOf'),
    ...each(anyOf, 'anyOf'),
    ...each(oneOf, 'oneOf'),
  ];
}

function declaredOutside(
  nested: JSONSchemaProps,
  declared: JSONSchemaProps | undefined,
  at: FieldPath,
  nestedAt: FieldPath,
): FieldError[] {
  if (declared === undefined) return [fieldRequired(at, `because it is defined in ${nestedAt}`)];
  const { items, properties = {} } = nested;
  const { items: elements, properties: fields = {} } = declared;
  const own = junctorsOf(nested, nestedAt).flatMap(([deeper, path]) => declaredOutside(deeper, declared, at, path));
  const element = Array.isArray(elements) ? undefined : elements;
  const ofItems =
    items === undefined || Array.isArray(items)
      ? []
      : declaredOutside(items, element, at.child('items'), nestedAt.child('items'));
  const ofProperties = Object.entries(properties).flatMap(([name, property]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const path = at.child('properties').key(name);
    return declaredOutside(property, field, path, nestedAt.child('properties').key(name));
  });
  return [...own, ...ofItems, ...ofProperties];
}

/**
 * Reports whether these are the types of an IntOrString. Members that are empty do not count, nor does a prohibition of
 * other properties.
 */
function isIntOrString(anyOf: readonly JSONSchemaProps[] | undefined): boolean {
  return anyOf !== undefined && equalJson(anyOf.map(comparedMembers), INT_OR_STRING);
}

function comparedMembers(props: JSONSchemaProps): unknown {
  const { additionalProperties, items, ...others } = props;
  const counted = {
    ...others,
    ...(additionalProperties !== false && additionalProperties !== undefined && { additionalProperties }),
    ...(items !== undefined && !(Array.isArray(items) && items.length === 0) && { items }),
  };
  return withoutEmptyMembers(counted);
}
