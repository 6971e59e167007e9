import { Double, type Int, intOf, Uint } from './number.js';
import { goTypeName } from './runtime-type.js';
import {
  Duration,
  EvaluationError,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  type Value,
} from './value.js';

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
    const form = keyForm(key);
    return form === undefined ? undefined : this.#entries.get(form)?.value;
  }

  *keys(): Iterable<Value> {
    for (const { key } of this.#entries.values()) yield key;
  }

  /** Sets an entry while the map is made. Gives the error of a key that none may be. */
  set(key: Value, value: Value): EvaluationError | undefined {
    const form = keyForm(key);
    if (form === undefined) return unhashable(key);
    this.#entries.set(form, { key, value });
    return undefined;
  }

  /** Removes an entry while the map is made. */
  delete(key: Value): void {
    const form = keyForm(key);
    if (form !== undefined) this.#entries.delete(form);
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
  return key instanceof TypeValue ? key.type : undefined;
}

/** Upstream panics, and reports that. */
function unhashable(key: Value): EvaluationError {
  const type = key instanceof OptionalValue ? '*types.Optional' : goTypeName(key);
  return new EvaluationError(`internal error: runtime error: hash of unhashable type ${type}`);
}
