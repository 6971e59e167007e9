import { expect, it } from 'vitest';
import { parseQuery, parseRequestTarget } from './request-target.js';

it.each([
  [
    'a=1&b=2',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  [
    'a=1&b;=2&c=%zz&d=3',
    [
      ['a', '1'],
      ['d', '3'],
    ],
  ],
  ['?a=1', [['?a', '1']]],
  [
    '?a=1&b;=2&??c=3',
    [
      ['?a', '1'],
      ['??c', '3'],
    ],
  ],
])('the query %s', (rawQuery, expected) => {
  expect([...parseQuery(rawQuery)]).toEqual(expected);
});

it.each([
  [10_000, 10_000],
  [10_001, 0],
  [100_000, 0],
])('of %i parameters %i are read', (count, expected) => {
  expect(parseQuery(`${'a=b&'.repeat(count - 1)}a=b`).size).toBe(expected);
});

it.each([
  ['/a%2fb%20%C3%A9', '/a/b é'],
  ['/%c3%28', '/\ufffd('],
  ['/x%FFy%ff/%C3%A9', '/x\ufffdy\ufffd/é'],
  ['/%ED%A0%80', '/\ufffd\ufffd\ufffd'],
])('the path of %s is %j', (url, path) => {
  expect(parseRequestTarget(url, 'GET')?.path).toBe(path);
});

it('lets nobody change the parameters of requests that have none', () => {
  const query = parseQuery('');
  expect(() => query.set('a', 'b')).toThrow(TypeError);
  expect(() => query.append('a', 'b')).toThrow(TypeError);
  expect([...parseQuery('')]).toEqual([]);
});
