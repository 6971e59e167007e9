import { Double, ListValue, OptionalValue, type Value } from '@apiserver/cel';
import { expect, it } from 'vitest';
import { stringList } from './string-list.js';

class Elements extends ListValue {
  readonly #elements: readonly Value[];

  constructor(...elements: readonly Value[]) {
    super();
    this.#elements = elements;
  }

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    return this.#elements[index] ?? null;
  }
}

it('takes the texts that optionals in a list hold, as Go', () => {
  const list = new Elements(OptionalValue.of('a'), '', OptionalValue.of(''), 'b');
  expect(stringList(list)).toEqual(['a', 'b']);
});

it.each<[string, Value]>([
  ['an empty optional', OptionalValue.NONE],
  ['an optional number', OptionalValue.of(new Double(1))],
  ['a number', new Double(1)],
])('refuses a list with %s', (_, element) => {
  expect(() => stringList(new Elements(element))).toThrow('expression must return a string or a list of strings');
});
