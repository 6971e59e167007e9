import { RESERVED_WORDS } from '../syntax/reserved.js';
import { type CelType, listOf, mapOf, STRING, structOf } from '../types/cel-type.js';
import type { TypeProvider } from '../types/type-provider.js';

/**
 * A type of the language, with the bounds of its values that costs are estimated from.
 *
 * Upstream: DeclType in k8s.io/apiserver/pkg/cel/types.go
 */
export interface DeclType {
  readonly type: CelType;
  /** Most elements of a list, entries of a map, or units of a string; undefined if there is no bound. */
  readonly maxElements?: number;
  /** Least bytes of a value in JSON. */
  readonly minSize: number;
  /** The types of the fields, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, DeclType>;
  /** The type of the elements of a list, or of the values of a map. */
  readonly element?: DeclType;
  /** The types of all properties by their names in JSON, also of those that expressions do not declare. */
  readonly properties?: ReadonlyMap<string, DeclType>;
  /** True if null is a value of the type. */
  readonly nullable?: boolean;
  /** True for an integer or a string. */
  readonly intOrString?: boolean;
  /** True for a timestamp that is a date without a time in JSON. */
  readonly date?: boolean;
  /** The rules by which a list is compared and merged. */
  readonly listKind?: ListKind;
}

/** The identity of the elements of a list: their place, their value (`set`), or some of their properties (`map`). */
export type ListKind = { readonly type: 'atomic' | 'set' } | { readonly type: 'map'; readonly keys: readonly string[] };

/** A list type; `maxElements` bounds the cost of visiting it. */
export function listDecl(element: DeclType, maxElements: number): DeclType {
  return { type: listOf(element.type), maxElements, minSize: 2, element };
}

/** A type of maps with string keys. */
export function mapDecl(element: DeclType, maxElements: number): DeclType {
  return { type: mapOf(STRING, element.type), maxElements, minSize: 2, element };
}

/** An object type by its name. `minSize` is that of its JSON, in bytes. */
export function structDecl(name: string, fields: ReadonlyMap<string, DeclType>, minSize = 2): DeclType {
  return { type: structOf(name), minSize, fields };
}

/** Name of an object type that has none of its own yet. */
const UNNAMED = 'object';

/** A struct type that nameTypes gives a name by its place. */
export function unnamedStruct(fields: ReadonlyMap<string, DeclType>, minSize: number): DeclType {
  return structDecl(UNNAMED, fields, minSize);
}

/** Names the unnamed struct types inside a type by the paths to them. */
export function nameTypes(decl: DeclType, name: string): DeclType {
  const { fields, element } = decl;
  if (fields !== undefined) {
    const own = decl.type.name === UNNAMED ? name : decl.type.name;
    const named = new Map([...fields].map(([field, type]) => [field, nameTypes(type, `${own}.${field}`)]));
    return { ...decl, type: structOf(own), fields: named };
  }
  if (element === undefined) return decl;
  const inMap = decl.type.kind === 'map';
  const named = nameTypes(element, `${name}.${inMap ? '@elem' : '@idx'}`);
  const type = inMap ? mapOf(STRING, named.type) : listOf(named.type);
  return { ...decl, type, element: named };
}

/** Knows the struct types inside some types, by name. */
export function declTypeProvider(...roots: readonly DeclType[]): TypeProvider {
  const structs = new Map<string, DeclType>();
  const pending = [...roots];
  for (let decl = pending.pop(); decl !== undefined; decl = pending.pop()) {
    if (decl.fields !== undefined) structs.set(decl.type.name, decl);
    pending.push(...(decl.fields?.values() ?? []), ...(decl.element === undefined ? [] : [decl.element]));
  }
  return {
    findType: (name) => structs.get(name)?.type,
    findField(typeName, field) {
      const fields = structs.get(typeName)?.fields;
      const found = fields?.get(field) ?? (RESERVED_WORDS.has(field) ? fields?.get(`__${field}__`) : undefined);
      return found?.type;
    },
  };
}
