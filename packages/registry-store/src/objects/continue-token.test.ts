import { expect, it } from 'vitest';
import { decodeContinueToken, encodeContinueToken } from './continue-token.js';

const FIELD = 'json: cannot unmarshal';
const reported = (json: string): unknown => {
  try {
    return decodeContinueToken(Buffer.from(json).toString('base64url'));
  } catch (error) {
    return (error as Error).message.replace('invalid continue token: continue key is not valid: ', '');
  }
};
const token = (members: string) => `{"v":"meta.k8s.io/v1",${members}}`;

// The messages of k8s.io/apiserver v0.36.6 (storage.DecodeContinue).
it.each<[json: string, reported: unknown]>([
  [token('"rv":1,"start":"a"'), { startKey: 'a', revision: 1 }],
  [token('"rv":-1,"start":"/a"'), { startKey: 'a', revision: -1 }],
  ['{"V":"meta.k8s.io/v1","RV":3,"Start":"a"}', { startKey: 'a', revision: 3 }],
  [token('"rv":1,"rv":2,"start":"a"'), { startKey: 'a', revision: 2 }],
  [token('"rv":"5","start":"a"'), `${FIELD} string into Go struct field continueToken.rv of type int64`],
  [token('"rv":true,"start":[]'), `${FIELD} bool into Go struct field continueToken.rv of type int64`],
  [token('"rv":1.5,"start":"a"'), `${FIELD} number 1.5 into Go struct field continueToken.rv of type int64`],
  [token('"rv":1e3,"start":"a"'), `${FIELD} number 1e3 into Go struct field continueToken.rv of type int64`],
  [
    token('"rv":99999999999999999999,"start":"a"'),
    `${FIELD} number 99999999999999999999 into Go struct field continueToken.rv of type int64`,
  ],
  [token('"rv":1,"start":7'), `${FIELD} number into Go struct field continueToken.start of type string`],
  ['{"v":5,"rv":1}', `${FIELD} number into Go struct field continueToken.v of type string`],
  ['{"v":{},"rv":{}}', `${FIELD} object into Go struct field continueToken.v of type string`],
  [token('"rv":null,"start":"a"'), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  [token('"rv" : 7,"start":"a"'), { startKey: 'a', revision: 7 }],
  [token('"rv" : 1e3,"start":"a"'), `${FIELD} number 1e3 into Go struct field continueToken.rv of type int64`],
  [token('"rv":7,"start":"/"'), { startKey: '', revision: 7 }],
  [token('"rv":7,"start":"a/b","more":1'), { startKey: 'a/b', revision: 7 }],
  [token('"rv":0,"start":"a"'), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  [token('"rv":7,"start":""'), 'encoded start key empty (version meta.k8s.io/v1)'],
  [token('"rv":7'), 'encoded start key empty (version meta.k8s.io/v1)'],
  ...['a/../b', '../a', 'a//b', 'a/', '/a/', './a'].map(
    (start) => [token(`"rv":7,"start":"${start}"`), start] satisfies [string, string],
  ),
  [
    token('"rv":9223372036854775808,"start":"a"'),
    `${FIELD} number 9223372036854775808 into Go struct field continueToken.rv of type int64`,
  ],
  ['{"v":"meta.k8s.io/v2","rv":1}', 'server does not recognize this encoded version meta.k8s.io/v2'],
  ['7', `${FIELD} number into Go value of type storage.continueToken`],
  ['"x"', `${FIELD} string into Go value of type storage.continueToken`],
  ['[]', `${FIELD} array into Go value of type storage.continueToken`],
  ['true', `${FIELD} bool into Go value of type storage.continueToken`],
  ['null', 'server does not recognize this encoded version '],
  ['', 'unexpected end of JSON input'],
  [`${token('"rv":1,"start":"a"')} x`, "invalid character 'x' after top-level value"],
])('%s', (json, expected) => {
  expect(reported(json)).toEqual(expected);
});

it.each([1, 2, 3, 4])('may contain %d line ends', (count) => {
  const token = { startKey: 'ns/a', revision: 7 };
  const text = encodeContinueToken(token);
  const ends = '\r\n'.repeat(count);
  expect(decodeContinueToken(text.slice(0, 8) + ends + text.slice(8))).toEqual(token);
});

// Go reports the start of an incomplete group of four characters.
it.each([
  ['x', 0],
  ['abcde', 4],
  ['a!', 1],
])('of the text %s is refused at byte %d', (text, at) => {
  const message = `invalid continue token: continue key is not valid: illegal base64 data at input byte ${at}`;
  expect(() => decodeContinueToken(text)).toThrow(message);
});
