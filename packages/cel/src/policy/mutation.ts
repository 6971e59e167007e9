import { goTypeOf } from '@apiserver/apimachinery/json';
import { declareFunctions, type Functions } from '../check/declarations.js';
import { TRAVERSE_FIRST } from '../libraries/call-costs.js';
import { type CelType, DYN, STRING, structOf } from '../types/cel-type.js';
import type { TypeProvider } from '../types/type-provider.js';
import { type Implementations, implement } from '../values/implementation.js';
import { InvalidValue } from '../values/invalid-value.js';
import { MadeObject } from '../values/made-object.js';
import { Double, Uint } from '../values/number.js';
import type { StructConstructor } from '../values/struct-constructor.js';
import { EvaluationError, OptionalValue, type Result, TypeValue, type Value } from '../values/value.js';
import { nativeTypeName, PATCH_TYPE } from './native-type.js';
import { UntypedObject } from './untyped-object.js';

const PATCH_DEFAULTS: ReadonlyMap<string, Value> = new Map([
  ['op', ''],
  ['path', ''],
  ['from', ''],
]);

/**
 * The types of mutations, beside others: patches, and objects whose fields may have any name and value.
 *
 * Upstream: k8s.io/apiserver/pkg/cel/mutation
 */
export function mutationTypes(others: TypeProvider): TypeProvider {
  return {
    findType: (name) => (isMade(name) ? structOf(name) : others.findType(name)),
    findField(typeName, field) {
      if (typeName === PATCH_TYPE) return patchField(field);
      return isMade(typeName) ? DYN : others.findField(typeName, field);
    },
  };
}

function patchField(field: string): CelType {
  if (PATCH_DEFAULTS.has(field)) return STRING;
  return field === PATCH_VALUE ? DYN : NO_TYPE;
}

const PATCH_VALUE = 'value';

/** Upstream gives an unknown field no type. Only values of any type fit it. */
const NO_TYPE: CelType = { kind: 'bool', name: '', parameters: [] };

function isMade(name: string): boolean {
  return name === PATCH_TYPE || name === 'Object' || name.startsWith('Object.');
}

/** Makes the objects of a type of mutations. */
export function mutationConstructor(typeName: string): StructConstructor | undefined {
  if (!isMade(typeName)) return undefined;
  if (typeName === PATCH_TYPE) return makePatch;
  const type = structOf(typeName);
  const defaults = new Map<string, Value>();
  return (fields) => new UntypedObject(type, fields, defaults);
}

const PATCH = structOf(PATCH_TYPE);

/** Upstream: JSONPatchType of k8s.io/apiserver/pkg/cel/mutation/jsonpatch.go */
function makePatch(fields: ReadonlyMap<string, Value>): Result {
  const members = new Map<string, Value>();
  for (const [name, value] of fields) {
    const member = name === PATCH_VALUE ? value : wrappedText(value);
    if (name !== PATCH_VALUE && !PATCH_DEFAULTS.has(name)) {
      return new EvaluationError(`unexpected JSONPatchType field: ${name}`);
    }
    if (member === undefined) {
      return new EvaluationError(`unexpected type ${wrappedTypeName(value)} for JSONPatchType '${name}' field`);
    }
    members.set(name, member);
  }
  return new Patch(PATCH, members, PATCH_DEFAULTS);
}

class Patch extends MadeObject {
  override has(field: string): boolean | EvaluationError {
    if (PATCH_DEFAULTS.has(field)) return this.find(field) !== '';
    return field === PATCH_VALUE ? super.has(field) : new EvaluationError(`unsupported field: ${field}`);
  }

  override find(field: string): Value | undefined {
    if (PATCH_DEFAULTS.has(field) || field === PATCH_VALUE) return super.find(field);
    return new InvalidValue(new EvaluationError(`unsupported indexer: ${field}`));
  }
}

/** The text that a value wraps; undefined for other values. */
function wrappedText(value: Value): string | undefined {
  if (value instanceof OptionalValue && value.value !== undefined) return wrappedText(value.value);
  if (value instanceof TypeValue) return value.type.name;
  return typeof value === 'string' ? value : undefined;
}

/** The Go type of what a value wraps. */
function wrappedTypeName(value: Value): string {
  if (value instanceof OptionalValue) return value.value === undefined ? '<nil>' : wrappedTypeName(value.value);
  if (value instanceof Uint) return 'uint64';
  if (value instanceof Double) return 'float64';
  return value !== null && typeof value !== 'object' ? goTypeOf(value) : nativeTypeName(value);
}

/** Declares the functions of mutations. */
export function declareMutationFunctions(): Functions {
  return declareFunctions({ 'jsonpatch.escapeKey': ['string_jsonpatch_escapeKey_string: (string) -> string'] });
}

/** The functions of mutations, by overload. */
export const MUTATION_IMPLEMENTATIONS: Implementations = {
  string_jsonpatch_escapeKey_string: implement(
    ['string'],
    (key) => key.replace(/~/g, '~0').replace(/\//g, '~1'),
    TRAVERSE_FIRST,
  ),
};
