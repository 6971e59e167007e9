import { Double, type Int, intOf, isInt, Uint } from './number.js';
import { Panic } from './panic.js';
import { goTypeName } from './runtime-type.js';
import { Duration, MapValue, OpaqueValue, Timestamp, TypeValue, type Value } from './value.js';

/** A key in one form: equal keys of one type have the same. */
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

  /**
   * A number also finds an equal one of another integer type. Throws a Panic for a key that none may be, unless the map
   * is empty.
   *
   * Upstream: refValMapAccessor.Find of github.com/google/cel-go/common/types/map.go
   */
  find(key: Value): Value | undefined {
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(hashedForm(key));
    return (entry ?? this.#equalNumber(key))?.value;
  }

  #equalNumber(key: Value): MapEntry | undefined {
    if (isInt(key)) return key < 0 ? undefined : this.#entries.get(uintForm(key));
    if (key instanceof Uint) return this.#entries.get(key.value);
    if (!(key instanceof Double) || !Number.isInteger(key.value)) return undefined;
    const integer = intOf(BigInt(key.value));
    return this.#entries.get(integer) ?? this.#entries.get(uintForm(integer));
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
    const form = keyForm(key);
    // Go prints this panic in another way.
    if (form === undefined) throw new Panic(`hash of unhashable type: ${goTypeName(key)}`);
    this.#entries.delete(form);
  }
}

/** The map that a comprehension gathers. It may grow until the comprehension ends. */
export class GatheredMap extends EntryMap {
  /** True until the comprehension ends. */
  open = true;
}

/** Tells the text of another value from a string. It is no character, so no string of an expression has it. */
const NO_STRING = '\ud800';

function keyForm(key: Value): MapKey | undefined {
  switch (typeof key) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'bigint':
      return key;
  }
  if (key instanceof Uint) return uintForm(key.value);
  // NaN equals no key, not even itself.
  if (key instanceof Double) return Number.isNaN(key.value) ? {} : `${NO_STRING}double ${key.value}`;
  if (key === null) return `${NO_STRING}null`;
  if (key instanceof Duration) return `${NO_STRING}duration ${key.nanoseconds}`;
  if (key instanceof Timestamp) return `${NO_STRING}timestamp ${key.seconds}.${key.nanoseconds}`;
  if (key instanceof OpaqueValue) return typeof key.key === 'string' ? `${NO_STRING}${key.key}` : key.key;
  if (key instanceof TypeValue) return key.type;
  // Lists, maps, objects and optionals equal only themselves as keys. Bytes cannot be keys.
  return key instanceof Uint8Array ? undefined : key;
}

function uintForm(value: Int): string {
  return `${NO_STRING}uint ${value}`;
}

/** Reports whether a value may be the key of a map. */
export function isHashable(value: Value): boolean {
  return keyForm(value) !== undefined;
}

/** Ends an evaluation that looks up a value that may not be a key. */
export function unhashable(value: Value): Panic {
  return new Panic(`runtime error: hash of unhashable type ${goTypeName(value)}`);
}

function hashedForm(key: Value): MapKey {
  const form = keyForm(key);
  if (form === undefined) throw unhashable(key);
  return form;
}
