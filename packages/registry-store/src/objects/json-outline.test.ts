import { expect, it } from 'vitest';
import { jsonOutline } from './json-outline.js';

const outlineOf = (value: unknown, names: readonly string[] = []) =>
  JSON.parse(jsonOutline(Buffer.from(JSON.stringify(value)), names).toString());

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, 'some text']));

it('keeps every text and small part, and cuts long lists and maps', () => {
  const text = 'x'.repeat(100_000);
  const small = { a: [1, 'b', {}], b: { c: null } };
  const list = Array.from({ length: 10_000 }, (_, i) => i);
  const data = many(5_000);
  const { spec, ...rest } = outlineOf({
    kind: 'K',
    metadata: small,
    spec: { data, list, text, type: 't' },
    text,
    small,
  });
  const { data: kept, ...others } = spec;
  expect([rest, others]).toEqual([
    { kind: 'K', metadata: small, text, small },
    { text, type: 't' },
  ]);
  expect(Object.entries(kept)).toEqual(Object.entries(data).slice(0, 1_000));
});

it('measures a list by its own length, wherever it stands', () => {
  const text = 'x'.repeat(100_000);
  // 16 KiB with brackets and quotes.
  const full = ['y'.repeat(16 * 1024 - 4)];
  const long = ['y'.repeat(16 * 1024 - 3)];
  expect(outlineOf({ text, full, long, small: [1] })).toEqual({ text, full, small: [1] });
});

it('keeps named members at any place', () => {
  const { spec } = outlineOf({ spec: { ...many(5_000), color: { name: 'red' }, size: 5 } }, ['color', 'name']);
  expect([Object.keys(spec).length, spec.color, spec.size]).toEqual([1_001, { name: 'red' }, undefined]);
});

it('visits a limited number of levels, each of which costs a pass', () => {
  let value: unknown = many(5_000);
  for (let level = 0; level < 900; level++) value = { below: value };
  const outline = outlineOf(value);
  let depth = 0;
  for (let at = outline; at.below !== undefined; at = at.below) depth++;
  expect(depth).toBe(16);
});
