import { ListValue, MapValue, type Value } from '../values/value.js';

/** A list that upstream has converted to one of Go's own. Its elements are converted when they are read. */
export class NativeList extends ListValue {
  readonly #list: ListValue;
  readonly #read: (element: Value) => Value;

  constructor(list: ListValue, read: (element: Value) => Value) {
    super();
    this.#list = list;
    this.#read = read;
  }

  get size(): number {
    return this.#list.size;
  }

  at(index: number): Value {
    return this.#read(this.#list.at(index));
  }
}

/** A map that upstream has converted to one of Go's own. Its values are converted when they are read. */
export class NativeMap extends MapValue {
  readonly #members: ReadonlyMap<string, Value>;
  readonly #read: (value: Value) => Value;

  constructor(members: ReadonlyMap<string, Value>, read: (value: Value) => Value) {
    super();
    this.#members = members;
    this.#read = read;
  }

  get size(): number {
    return this.#members.size;
  }

  find(key: Value): Value | undefined {
    const value = typeof key === 'string' ? this.#members.get(key) : undefined;
    return value === undefined ? undefined : this.#read(value);
  }

  keys(): Iterable<string> {
    return this.#members.keys();
  }

  get entries(): (readonly [string, Value])[] {
    return Array.from(this.#members, ([name, value]) => [name, this.#read(value)] as const);
  }
}
