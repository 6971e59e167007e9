import { field } from '@apiserver/component-base/flags';
import { expect, it } from 'vitest';
import { type NamedCertKey, namedCertKeysValue } from './named-cert-keys.js';

function parsed(...texts: string[]) {
  const options: { pairs: readonly NamedCertKey[] } = { pairs: [] };
  const value = namedCertKeysValue(field(options, 'pairs'));
  for (const text of texts) value.set(text);
  return { pairs: options.pairs, printed: value.toString() };
}

const pair = (...names: string[]) => ({ certFile: 'a.crt', keyFile: 'a.key', names });

it('has the type of upstream in the help', () => {
  const value = namedCertKeysValue(field({ pairs: [] as readonly NamedCertKey[] }, 'pairs'));
  expect([value.typeName, value.isBoolean, value.defaultText]).toEqual(['namedCertKey', false, '[]']);
});

it.each<[string[], NamedCertKey[], string]>([
  [[], [], '[]'],
  [['a.crt,a.key'], [pair()], '[a.crt,a.key]'],
  [[' a.crt , a.key : x , *.y '], [pair('x', '*.y')], '[a.crt,a.key:x,*.y]'],
  [['a.crt,a.key:2001:db8::1'], [pair('2001:db8::1')], '[a.crt,a.key:2001:db8::1]'],
  [['a.crt,a.key', 'a.crt,a.key:x'], [pair(), pair('x')], '[a.crt,a.key;a.crt,a.key:x]'],
])('%j', (texts, pairs, printed) => {
  expect(parsed(...texts)).toEqual({ pairs, printed });
});

it.each([
  ['', 'expected comma separated certificate and key file paths'],
  ['a.crt', 'expected comma separated certificate and key file paths'],
  ['a.crt,a.key,b', 'expected comma separated certificate and key file paths'],
  ['a.crt,a.key:', 'empty names list is not allowed'],
  ['a.crt:x', 'expected comma separated certificate and key file paths'],
])('%j is refused', (text, message) => {
  expect(() => parsed(text)).toThrow(message);
});
