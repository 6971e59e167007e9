import { expect, it } from 'vitest';
import { httpProxiesOf } from './http-proxies.js';

const location = (host: string, scheme: 'http' | 'https' = 'https') => {
  const { hostname, port } = new URL(`${scheme}://${host}`);
  return { scheme, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: '/', rawQuery: '' };
};

it.each<[string, string, boolean]>([
  ['', 'a.example.com', true],
  ['', 'localhost', false],
  ['', '127.1.2.3', false],
  ['', '[::1]', false],
  ['*', 'a.example.com', false],
  ['example.com', 'a.example.com', false],
  ['example.com', 'example.com', false],
  ['example.com', 'badexample.com', true],
  ['.example.com', 'example.com', true],
  ['.Example.com', 'a.EXAMPLE.com', false],
  ['*.example.com', 'a.example.com', false],
  ['*.example.com', 'example.com', true],
  ['b, ,example.com:8443', 'example.com:8443', false],
  ['example.com:8443', 'example.com', true],
  ['example.com:443', 'example.com', false],
  [':443', 'example.com', true],
  ['10.0.0.0/8', '10.1.2.3', false],
  ['10.0.0.0/8', '11.1.2.3', true],
  ['10.0.0.1', '10.0.0.1', false],
  ['10.0.0.1:80', '10.0.0.1', true],
  ['2001:db8::/32', '[2001:db8::1]', false],
  ['2001:db8::1', '[2001:db8::1]', false],
  ['[2001:db8::1]:443', '[2001:db8::1]', false],
  ['[2001:db8::1]:80', '[2001:db8::1]', true],
])('NO_PROXY=%j: %s', (NO_PROXY, host, isProxied) => {
  const proxies = httpProxiesOf({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY });
  expect(proxies(location(host))).toBe(isProxied ? 'http://proxy:3128/' : undefined);
});

it.each<[Readonly<Record<string, string>>, 'http' | 'https', string | undefined]>([
  [{}, 'https', undefined],
  [{ HTTPS_PROXY: 'proxy:3128' }, 'https', 'http://proxy:3128/'],
  [{ https_proxy: 'https://user:pw@proxy' }, 'https', 'https://user:pw@proxy/'],
  [{ HTTPS_PROXY: 'proxy' }, 'http', undefined],
  [{ HTTP_PROXY: 'proxy' }, 'https', undefined],
  [{ HTTP_PROXY: 'proxy' }, 'http', 'http://proxy/'],
  [{ HTTPS_PROXY: 'a', https_proxy: 'b' }, 'https', 'http://a/'],
  [{ HTTPS_PROXY: '[' }, 'https', undefined],
])('%j by %s', (environment, scheme, expected) => {
  expect(httpProxiesOf(environment)(location('a.example.com', scheme))).toBe(expected);
});
