import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  seenBefore,
} from '@apiserver/apimachinery/field';
import { getOwn, isMembers } from '@apiserver/apimachinery/json';
import { validateRuleFields } from '../../rules/validate-rule-fields.js';
import { internalItems } from './internal-schema.js';

/** The position of a schema, with the constraints that follow from it. */
interface Place {
  readonly isRoot: boolean;
  readonly insideMetadata: boolean;
  /** The reason why defaults are forbidden here; undefined if they are allowed. */
  readonly noDefaults: string | undefined;
  /** Gets the schemas with faults in themselves or below. */
  readonly faulty: Set<JSONSchemaProps>;
  /** Gets the errors of all schemas: nearly all have none, and lists of their own would be waste. */
  readonly errors: FieldError[];
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);
const UNSUPPORTED = ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
/** Of these, an empty one is ignored. Empty dependencies are refused. */
const IGNORED_IF_EMPTY: ReadonlySet<string> = new Set(['patternProperties', 'definitions']);

/**
 * Finds uses of keywords that CRDs do not support, at every depth. `faulty` gets the schemas with errors in themselves
 * or below.
 *
 * Upstream: ValidateCustomResourceDefinitionOpenAPISchema of
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateSchema(props: JSONSchemaProps, at: FieldPath, faulty: Set<JSONSchemaProps>): FieldError[] {
  const errors: FieldError[] = [];
  validateAt(props, at, { isRoot: true, insideMetadata: false, noDefaults: undefined, faulty, errors });
  return errors;
}

/** Adds the errors of a schema and of those in it. */
function validateAt(props: JSONSchemaProps, at: FieldPath, place: Place): void {
  const { errors } = place;
  const before = errors.length;
  const below: Place = place.isRoot ? { ...place, isRoot: false } : place;
  const { items, not, allOf, oneOf, anyOf, definitions, dependencies } = props;
  validateKeywords(props, at, place);
  validateMembers(props, at, place, below);
  if (not !== undefined) validateNested(not, at.child('not'), below);
  if (allOf !== undefined) validateEach(allOf, at.child('allOf'), below);
  if (oneOf !== undefined) validateEach(oneOf, at.child('oneOf'), below);
  if (anyOf !== undefined) validateEach(anyOf, at.child('anyOf'), below);
  if (definitions !== undefined) validateEntries(definitions, at.child('definitions'), below);
  if (Array.isArray(items)) validateEach(items, at.child('items'), below);
  else if (items !== undefined) validateNested(items, at.child('items'), below);
  if (dependencies !== undefined) validateEntries(dependencies, at.child('dependencies'), below);
  if (hasExtensions(props)) appendAll(errors, validateExtensions(props, at));
  if (props['x-kubernetes-validations'] !== undefined) appendAll(errors, validateRuleFields(props, at));
  if (errors.length > before) place.faulty.add(props);
}

function validateNested(schema: unknown, at: FieldPath, place: Place): void {
  if (isMembers(schema)) validateAt(schema, at, place);
}

function validateEach(schemas: readonly JSONSchemaProps[], at: FieldPath, place: Place): void {
  for (const [i, schema] of schemas.entries()) validateNested(schema, at.index(i), place);
}

function validateEntries(schemas: Readonly<Record<string, unknown>>, at: FieldPath, place: Place): void {
  for (const name in schemas) validateNested(schemas[name], at.key(name), place);
}

function validateMembers(props: JSONSchemaProps, at: FieldPath, place: Place, below: Place): void {
  const { properties, additionalProperties: rest } = props;
  if (rest !== undefined) {
    const path = at.child('additionalProperties');
    if (rest !== true && Object.keys(properties ?? {}).length > 0) {
      place.errors.push(fieldForbidden(path, 'additionalProperties and properties are mutual exclusive'));
    }
    const noDefaults = 'inside additionalProperties applying to object metadata';
    validateNested(rest, path, place.insideMetadata ? { ...below, noDefaults } : below);
  }
  if (properties === undefined) return;
  const isResource = place.isRoot || props['x-kubernetes-embedded-resource'] === true;
  const path = at.child('properties');
  for (const name in properties) {
    const property = properties[name];
    const inside = isResource && RESOURCE_FIELDS.has(name) ? insideResourceField(name, place, below) : below;
    validateNested(property, path.key(name), inside);
  }
}

function insideResourceField(name: string, { isRoot }: Place, below: Place): Place {
  return { ...below, insideMetadata: true, noDefaults: isRoot ? `in top-level ${name}` : below.noDefaults };
}

/** Upstream: specStandardValidatorV3.validate */
function validateKeywords(props: JSONSchemaProps, at: FieldPath, { errors, insideMetadata, noDefaults }: Place): void {
  const forbid = (name: string, detail: string): void => void errors.push(fieldForbidden(at.child(name), detail));
  const { type } = props;
  if (type && !TYPES.includes(type)) errors.push(fieldNotSupported(at.child('type'), type, TYPES));
  if (props.default !== undefined && noDefaults !== undefined) forbid('default', `must not be set ${noDefaults}`);
  if (props.id) forbid('id', 'id is not supported');
  for (const name of UNSUPPORTED) if (isUsed(props, name)) forbid(name, `${name} is not supported`);
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(props.items) && props.items.length > 0) {
    forbid('items', 'items must be a schema object and not an array');
  }
  if (insideMetadata && props['x-kubernetes-embedded-resource'] === true) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  if (props.uniqueItems === true) {
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
}

function isUsed(props: JSONSchemaProps, name: (typeof UNSUPPORTED)[number]): boolean {
  const value = props[name];
  return value !== undefined && !(IGNORED_IF_EMPTY.has(name) && Object.keys(value).length === 0);
}

/** False for nearly all schemas; then `validateExtensions` finds nothing. */
function hasExtensions(props: JSONSchemaProps): boolean {
  return (
    props['x-kubernetes-list-type'] !== undefined ||
    props['x-kubernetes-map-type'] !== undefined ||
    props['x-kubernetes-list-map-keys'] !== undefined ||
    props['x-kubernetes-preserve-unknown-fields'] === false
  );
}

function validateExtensions(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  const { type = '', 'x-kubernetes-map-type': mapType, 'x-kubernetes-list-type': listType } = props;
  const errors: FieldError[] = [];
  if (props['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(fieldInvalid(at.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  if (mapType !== undefined) {
    errors.push(...mustBe(type, 'object', 'x-kubernetes-map-type', at));
    if (mapType !== 'atomic' && mapType !== 'granular') {
      errors.push(fieldNotSupported(at.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
    }
  }
  if (listType !== undefined) {
    errors.push(
      ...(type === 'array' ? validateSetItems(props, at) : mustBe(type, 'array', 'x-kubernetes-list-type', at)),
    );
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(fieldNotSupported(at.child('x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
    }
  }
  return [...errors, ...validateMapKeys(props, at)];
}

function mustBe(type: string, expected: string, extension: string, at: FieldPath): FieldError[] {
  if (type === expected) return [];
  const detail = `must be ${expected} if ${extension} is specified`;
  return [type === '' ? fieldRequired(at.child('type'), detail) : fieldInvalid(at.child('type'), type, detail)];
}

/** The elements of a set are compared as atomic values. */
function validateSetItems({ items, 'x-kubernetes-list-type': listType }: JSONSchemaProps, at: FieldPath): FieldError[] {
  if (listType !== 'set' || items === undefined || Array.isArray(items)) return [];
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const inner = items['x-kubernetes-list-type'];
  if (items.type === 'array' && inner !== undefined && inner !== 'atomic') {
    return [fieldInvalid(at.child('items', 'x-kubernetes-list-type'), inner, detail)];
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [fieldInvalid(at.child('items', 'x-kubernetes-map-type'), inner ?? null, detail)];
  }
  return [];
}

function validateMapKeys(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  const { items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = props;
  const errors: FieldError[] = [];
  if (keys.length > 0 && listType !== 'map') {
    const path = at.child('x-kubernetes-list-type');
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? fieldRequired(path, detail) : fieldInvalid(path, listType, detail));
  }
  if (listType === 'map') appendAll(errors, validateMapList(keys, items, at));
  const element = items === undefined || Array.isArray(items) ? undefined : items;
  if (element === undefined || (listType !== 'map' && listType !== 'set')) return errors;
  if (element.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(fieldForbidden(at.child('items', 'nullable'), detail));
  }
  return listType === 'map' ? [...errors, ...validateKeysAreThere(keys, element, at)] : errors;
}

function validateMapList(keys: readonly string[], items: JSONSchemaProps['items'], at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const keysPath = at.child('x-kubernetes-list-map-keys');
  if (keys.length === 0) errors.push(fieldRequired(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined) {
    return [...errors, fieldRequired(at.child('items'), 'must have a schema if x-kubernetes-list-type is map')];
  }
  if (Array.isArray(items)) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    return [...errors, fieldInvalid(at.child('items'), internalItems(items), detail)];
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, fieldInvalid(at.child('items', 'type'), items.type ?? '', detail)];
  }
  const isRepeated = seenBefore<string>();
  for (const key of keys) {
    const property = getOwn(items.properties ?? {}, key);
    if (property === undefined) {
      errors.push(fieldInvalid(keysPath, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const path = at.child('items', 'properties').key(key).child('type');
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(fieldInvalid(path, items.type, detail));
    }
    if (isRepeated(key)) errors.push(fieldInvalid(keysPath, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

/** Upstream: validateMapListKeysMapSet */
function validateKeysAreThere(keys: readonly string[], element: JSONSchemaProps, at: FieldPath): FieldError[] {
  const required = new Set(element.required ?? []);
  return keys.flatMap((key) => {
    const property = getOwn(element.properties ?? {}, key);
    if (property === undefined) return [];
    const path = at.child('items', 'properties').key(key);
    const errors: FieldError[] = [];
    if (!required.has(key) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(fieldRequired(path.child('default'), detail));
    }
    if (property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(fieldForbidden(path.child('nullable'), detail));
    }
    return errors;
  });
}
