import { Double, type Int, intOf, Uint } from './number.js';
import { Panic } from './panic.js';
import { goTypeName } from './runtime-type.js';
import { Duration, MapValue, OpaqueValue, Timestamp, TypeValue, type Value } from './value.js';

/** A key in one form: equal numbers of all types have the same. */
type MapKey = string | Int | boolean | object;

interface MapEntry {
  readonly key: Value;
  readonly value: Value;
}

/** A map that an expression makes. */
export class EntryMap extends MapValue {
  readonly #entries: Map<MapKey, MapEntry>;

  constructor(entries?: EntryMap) {
    super();
    this.#entries = new Map(entries === undefined ? [] : entries.#entries);
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    return this.#entries.get(hashedForm(key))?.value;
  }

  *keys(): Iterable<Value> {
    for (const { key } of this.#entries.values()) yield key;
  }

  /** Sets an entry while the map is made. Throws a Panic for a key that none may be. */
  set(key: Value, value: Value): void {
    this.#entries.set(hashedForm(key), { key, value });
  }

  /** Removes an entry while the map is made. Throws a Panic for a key that none may be. */
  delete(key: Value): void {
    this.#entries.delete(hashedForm(key));
  }
}

/** The map that a comprehension gathers. It may grow until the comprehension ends. */
export class GatheredMap extends EntryMap {
  /** True until the comprehension ends. */
  open = true;
}

function keyForm(key: Value): MapKey | undefined {
  switch (typeof key) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'bigint':
      return key;
  }
  if (key instanceof Uint) return key.value;
  if (key instanceof Double) return Number.isInteger(key.value) ? intOf(BigInt(key.value)) : `double ${key.value}`;
  if (key === null) return 'null ';
  if (key instanceof Duration) return `duration ${key.nanoseconds}`;
  if (key instanceof Timestamp) return `timestamp ${key.seconds}.${key.nanoseconds}`;
  if (key instanceof OpaqueValue) return key.key;
  if (key instanceof TypeValue) return key.type;
  // Lists, maps, objects and optionals are the same key as themselves only; bytes are none.
  return key instanceof Uint8Array ? undefined : key;
}

/** Reports whether a value may be the key of a map. */
export function isHashable(value: Value): boolean {
  return keyForm(value) !== undefined;
}

function hashedForm(key: Value): MapKey {
  const form = keyForm(key);
  if (form === undefined) throw new Panic(`runtime error: hash of unhashable type ${goTypeName(key)}`);
  return form;
}
