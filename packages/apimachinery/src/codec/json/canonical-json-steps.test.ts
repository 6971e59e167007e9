import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { FieldSet } from '../../structured-merge-diff/field-set/field-set.js';
import { writeFieldsV1InSteps } from '../../structured-merge-diff/field-set/fields-v1.js';
import { encodeJsonBytes, encodeJsonBytesSteps } from './encode-json.js';

const MANY = 10_000;
const names = Array.from({ length: MANY }, (_, i) => `k${String(i).padStart(5, '0')}`);
const large = () => Object.fromEntries(names.map((name) => [name, '<']));

let collect: () => void;
beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc');
});

/**
 * Runs steps, and returns how many of the values are collected after each. A weak reference keeps its value for a turn.
 */
async function collectedAfterSteps(values: readonly WeakRef<object>[], steps: Generator<void, unknown>) {
  const collected: number[] = [];
  while (!steps.next().done) {
    await setImmediate();
    collect();
    collected.push(values.filter((value) => value.deref() === undefined).length);
  }
  return collected;
}

describe('encodeJsonBytesSteps', () => {
  const any = { type: 'any' } as const;
  const schema = {
    type: 'struct',
    fields: [
      { name: 'list', schema: any },
      { name: 'last', schema: any },
    ],
  } as never;
  const object = () => ({ list: [{ fields: large() }], last: large() });

  it('writes what encodeJsonBytes writes, numeric keys in order', () => {
    const unordered = { list: [{ b10: [1, null, true], 9: {}, 10: 'x', a: undefined }], last: large() };
    for (const value of [object(), unordered]) {
      const steps = encodeJsonBytesSteps(schema, value);
      let next = steps.next();
      while (!next.done) next = steps.next();
      expect(Buffer.from(next.value).toString()).toBe(Buffer.from(encodeJsonBytes(schema, value)).toString());
    }
  });

  it('does not keep parts that are written', async () => {
    const refs: WeakRef<object>[] = [];
    const begin = () => {
      const value = object();
      refs.push(new WeakRef(value.list[0]?.fields ?? {}), new WeakRef(value.last));
      return encodeJsonBytesSteps(schema, value);
    };
    const collected = await collectedAfterSteps(refs, begin());
    expect([collected[0], collected.at(-1)]).toEqual([0, 1]);
  });
});

describe('writeFieldsV1InSteps', () => {
  it('does not keep the set', async () => {
    const refs: WeakRef<object>[] = [];
    const begin = () => {
      const set = FieldSet.of(...names.map((name) => ['f:data', `f:${name}`]));
      refs.push(new WeakRef(set.below('f:data')?.entries ?? {}));
      return writeFieldsV1InSteps(set);
    };
    const collected = await collectedAfterSteps(refs, begin());
    expect(collected.at(-1)).toBe(1);
  });
});
