import { expect, it } from 'vitest';
import { unwrapUnknown } from './protobuf-envelope.js';

const message = (...fields: readonly [number, string][]) =>
  fields.map(([field, value]) => `${String.fromCharCode(8 * field + 2, value.length)}${value}`).join('');
const meta = (...fields: readonly [number, string][]): [number, string] => [1, message(...fields)];

// Upstream's decoder reads a further message of a struct into the same struct.
it.each<[string, readonly [number, string][], readonly [apiVersion: string, kind: string]]>([
  ['one', [meta([1, 'a/v1'], [2, 'K'])], ['a/v1', 'K']],
  ['an empty one behind it', [meta([1, 'a/v1'], [2, 'K']), meta()], ['a/v1', 'K']],
  ['parts', [meta([2, 'K']), meta([1, 'a/v1'])], ['a/v1', 'K']],
  ['another kind', [meta([1, 'a/v1'], [2, 'K']), meta([2, 'L'])], ['a/v1', 'L']],
])('reads the types of %s', (_, fields, expected) => {
  const { apiVersion, kind } = unwrapUnknown(Buffer.from(`k8s\0${message(...fields)}`, 'latin1'));
  expect([apiVersion, kind]).toEqual(expected);
});
