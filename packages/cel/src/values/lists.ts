import { ListValue, type Value } from './value.js';

/** A list that an expression makes. */
export class ArrayList extends ListValue {
  static readonly EMPTY = new ArrayList([]);
  readonly #elements: readonly Value[];

  constructor(elements: readonly Value[]) {
    super();
    this.#elements = elements;
  }

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    const element = this.#elements[index];
    if (element === undefined) throw new RangeError(`a list of ${this.size} elements has no index ${index}`);
    return element;
  }
}

/** A list of texts that a function of a library makes. */
export class TextList extends ArrayList {
  override get holdsTexts(): boolean {
    return true;
  }
}

/** The list that a comprehension gathers. It may grow until the comprehension ends. */
export class GatheredList extends ListValue {
  /** True until the comprehension ends. */
  open = true;
  readonly #elements: Value[] = [];

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    const element = this.#elements[index];
    if (element === undefined) throw new RangeError(`a list of ${this.size} elements has no index ${index}`);
    return element;
  }

  push(value: Value): void {
    this.#elements.push(value);
  }

  pushAll(list: ListValue): void {
    for (const value of elementsOf(list)) this.#elements.push(value);
  }
}

/** Two lists as one. Nothing is copied: a sum costs 1 whatever its size. */
export class ConcatenatedList extends ListValue {
  readonly size: number;
  readonly #first: ListValue;
  readonly #second: ListValue;

  constructor(first: ListValue, second: ListValue) {
    super();
    this.size = first.size + second.size;
    this.#first = first;
    this.#second = second;
  }

  override get goType(): string {
    return 'types.concatList';
  }

  at(index: number): Value {
    const { size } = this.#first;
    return index < size ? this.#first.at(index) : this.#second.at(index - size);
  }
}

/** The sum of two lists. */
export function concatenate(first: ListValue, second: ListValue): ListValue {
  if (first.add !== undefined) return first.add(second);
  if (first.size === 0) return second;
  return second.size === 0 ? first : new ConcatenatedList(first, second);
}

/** The elements of a list in their order. */
export function* elementsOf(list: ListValue): Iterable<Value> {
  for (let index = 0; index < list.size; index++) yield list.at(index);
}
