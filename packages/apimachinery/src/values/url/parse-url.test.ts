import { expect, it } from 'vitest';
import { urlFault } from './parse-url.js';

// The errors are those of Parse of Go 1.26.
it.each([
  ['https://h', undefined],
  ['https://h:443:1', 'invalid port ":443:1" after host'],
  ['ftp://h:1:2', undefined],
  ['https://é:x', 'invalid port ":x" after host'],
  ['https://%41', 'invalid URL escape "%41"'],
  ['https://h%c3%a9', undefined],
  ['https://h%2', 'invalid URL escape "%2"'],
  ['https://a[b]', 'invalid IP-literal'],
  ['https://[1.2.3.4]', 'invalid IP-literal'],
  ['https://[h]', 'invalid host: ParseAddr("h"): unable to parse IP'],
  ['https://[1::2::3]', 'invalid host: ParseAddr("1::2::3"): multiple :: in address (at ":3")'],
  ['https://[::1', "missing ']' in host"],
  ['https://[::1%25en0]:1', undefined],
  ['https://[::1%25%00]', 'invalid URL escape "%00"'],
  ['https://h/%zz', 'invalid URL escape "%zz"'],
  ['https://h/?%zz', undefined],
  ['https://u|x@h', 'net/url: invalid userinfo'],
  ['https://h^', 'invalid character "^" in host name'],
  ['a:b', undefined],
  ['1:b', 'first path segment in URL cannot contain colon'],
  [':', 'missing protocol scheme'],
  ['*', undefined],
])('%s: %s', (url, fault) => {
  expect(urlFault(url)).toBe(fault && `parse ${JSON.stringify(url)}: ${fault}`);
});

it.each([
  ['https://h:x#f', 'parse "https://h:x": invalid port ":x" after host'],
  ['https://h/#%zz', 'parse "https://h/#%zz": invalid URL escape "%zz"'],
  ['https://h\n', 'parse "https://h\\n": net/url: invalid control character in URL'],
])('quotes the fragment of %j only if it is wrong', (url, message) => {
  expect(urlFault(url)).toBe(message);
});
