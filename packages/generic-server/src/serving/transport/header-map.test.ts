import { expect, test } from 'vitest';
import { HeaderMap } from './header-map.js';

test('names are the same in any case, however many there are', () => {
  const headers = new HeaderMap();
  const names = Array.from({ length: 600 }, (_, i) => `X-Some-Long-Name-Of-A-Header-${i}`);
  for (const name of names) headers.set(name, 'first');
  for (const name of names) headers.append(name.toUpperCase(), 'second');
  for (const name of names.slice(0, 300)) headers.delete(name.toLowerCase());
  expect(names.filter((name) => headers.has(name))).toEqual(names.slice(300));
  expect(names.map((name) => headers.get(name)).slice(298, 302)).toEqual([undefined, undefined, 'first', 'first']);
  expect(headers.seal()).toEqual(
    Object.fromEntries(names.slice(300).map((name) => [name.toLowerCase(), ['first', 'second']])),
  );
});
