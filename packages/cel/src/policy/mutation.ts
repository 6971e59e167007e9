import { declareFunctions, type Functions } from '../check/declarations.js';
import type { StructConstructor } from '../evaluate/program-environment.js';
import { TRAVERSE_FIRST } from '../libraries/call-costs.js';
import { DYN, STRING, structOf } from '../types/cel-type.js';
import type { TypeProvider } from '../types/type-provider.js';
import { type Implementations, implement } from '../values/implementation.js';
import { MadeObject } from '../values/made-object.js';
import type { Value } from '../values/value.js';

/** The type of patches. */
export const PATCH_TYPE = 'JSONPatch';

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
      if (typeName === PATCH_TYPE) return PATCH_DEFAULTS.has(field) ? STRING : DYN;
      return isMade(typeName) ? DYN : others.findField(typeName, field);
    },
  };
}

function isMade(name: string): boolean {
  return name === PATCH_TYPE || name === 'Object' || name.startsWith('Object.');
}

/** Makes the objects of a type of mutations. */
export function mutationConstructor(typeName: string): StructConstructor | undefined {
  if (!isMade(typeName)) return undefined;
  const type = structOf(typeName);
  const defaults = typeName === PATCH_TYPE ? PATCH_DEFAULTS : new Map<string, Value>();
  return (fields) => new MadeObject(type, fields, defaults);
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
