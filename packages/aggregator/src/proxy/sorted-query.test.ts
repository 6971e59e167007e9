import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { sortedQuery } from './sorted-query.js';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

/** The results of `url.URL{RawQuery: …}.Query().Encode()` in Go 1.26. */
it.each([
  ['b=2&a=1&b=1&c', 'a=1&b=2&b=1&c='],
  ['watch=true&labelSelector=a%3Db%2Cc+in+%28d%29', 'labelSelector=a%3Db%2Cc+in+%28d%29&watch=true'],
  ["a=%zz&b=1;c=2&&d=%20~*'", 'd=+~%2A%27'],
  [`%C3%A9=%ff&z=\xff&e=${latin1('é')}`, 'e=%C3%A9&z=%FF&%C3%A9=%FF'],
  ['=x&k==v&K=1&%41=2', '=x&A=2&K=1&k=%3Dv'],
  ['a=1+2%2B3', 'a=1+2%2B3'],
  ['', ''],
])('sends %j as %j', (query, sent) => {
  expect(sortedQuery(query)).toBe(sent);
});

it('sends no query of more than 10,000 parameters', () => {
  expect(sortedQuery('&'.repeat(10_000))).toBe('');
  expect(sortedQuery(`${'&'.repeat(9_999)}a`)).toBe('a=');
  expect(sortedQuery(`${'&'.repeat(10_000)}a`)).toBe('');
});
