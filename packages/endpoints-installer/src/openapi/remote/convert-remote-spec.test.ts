import { expect, it } from 'vitest';
import { ContentBudget, convertPathItem } from './convert-parts.js';
import { convertRemoteSpec } from './convert-remote-spec.js';

const TOO_LARGE = new TypeError('the document is too large');
const types = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

const TYPES = types(9_000);
const schema = { description: 'x'.repeat(62_000) };
const parameters = [{ name: 'body', in: 'body', schema }];

// Written, each would be longer than a string may be.
it.each([
  ['a body', { paths: { '/a': { post: { consumes: TYPES, parameters } } } }],
  ['a response', { paths: { '/a': { get: { produces: TYPES, responses: { default: { schema } } } } } }],
  ['a shared response', { produces: TYPES, responses: { A: { schema } } }],
])('refuses %s of many media types before it is written', async (_, document) => {
  const text = JSON.stringify({ swagger: '2.0', ...document });
  await expect(convertRemoteSpec({ text, name: 'apis/g/v1', now: () => 0 })).rejects.toEqual(TOO_LARGE);
});

it('counts the schemas of all responses, and each media type once', () => {
  const small = { schema: { type: 'object' } };
  const item = (produces: readonly string[]) => ({ get: { produces, responses: { 200: small, default: small } } });
  const { length } = '1{"type":"object"}';
  expect(() => convertPathItem(item(['1', '2']), new ContentBudget(4 * length - 1))).toThrow(TOO_LARGE);
  expect(convertPathItem(item(['1', '2', '1']), new ContentBudget(4 * length))).toMatchObject({
    get: { responses: { default: { content: { 1: small, 2: small } } } },
  });
});
