import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';

test.each([
  ['url("https://u:p@h.x:8443/a%20b/c?q=1&q=2&r=#f")', 'https://u:p@h.x:8443/a%20b/c?q=1&q=2&r=#f', 5],
  ['url("https://h/?q=1&q=2&r=&s;t=1&%zz=1").getQuery()', '{q: [1, 2], r: []}', 5],
  ['url("http://[fe80::1%25en0]:80/").getHostname()', 'fe80::1%en0', 4],
  ['url("http://[::1]:80/").getPort()', '80', 3],
  ['url("ftp://h/é").getEscapedPath()', '/%C3%A9', 2],
  ['url("HTTP://h/a[b]").getEscapedPath()', '/a[b]', 3],
  ['url("mailto:a@b.c").getHost()', '', 3],
  ['url("unix:///x").getScheme()', 'unix', 2],
  [
    'url("relative")',
    'error: URL parse error during conversion from string: parse "relative": invalid URI for request',
    1,
  ],
  ['url("")', 'error: URL parse error during conversion from string: parse "": empty url', 0],
  ['url(":x")', 'error: URL parse error during conversion from string: parse ":x": missing protocol scheme', 1],
  [
    'url("http://h/%zz")',
    'error: URL parse error during conversion from string: parse "http://h/%zz": invalid URL escape "%zz"',
    2,
  ],
  [
    'url("http://h/%é")',
    'error: URL parse error during conversion from string: parse "http://h/%é": invalid URL escape "%é"',
    2,
  ],
  [
    'url("http://h/%aé")',
    'error: URL parse error during conversion from string: parse "http://h/%aé": invalid URL escape "%a\\xc3"',
    2,
  ],
  [
    'url("http://h%41/")',
    'error: URL parse error during conversion from string: parse "http://h%41/": invalid URL escape "%41"',
    2,
  ],
  [
    'url("http://a b/")',
    'error: URL parse error during conversion from string: parse "http://a b/": invalid character " " in host name',
    2,
  ],
  [
    'url("http://h:port/")',
    'error: URL parse error during conversion from string: parse "http://h:port/": invalid port ":port" after host',
    2,
  ],
  [
    'url("http://[1.2.3.4]/")',
    'error: URL parse error during conversion from string: parse "http://[1.2.3.4]/": invalid IP-literal',
    2,
  ],
  [
    'url("http://[x]/")',
    'error: URL parse error during conversion from string: parse "http://[x]/": invalid host: ParseAddr("x"): unable to parse IP',
    2,
  ],
  [
    'url("http://[::1/")',
    'error: URL parse error during conversion from string: parse "http://[::1/": missing \']\' in host',
    2,
  ],
  ['isURL("/a:b")', 'true', 1],
  ['url("http://h/#a") == url("http://h/#b")', 'false', 5],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});
