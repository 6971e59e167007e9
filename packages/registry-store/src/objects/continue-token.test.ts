import { expect, it } from 'vitest';
import { decodeContinueToken } from './continue-token.js';

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
  ['[]', `${FIELD} array into Go value of type storage.continueToken`],
  ['true', `${FIELD} bool into Go value of type storage.continueToken`],
  ['null', 'server does not recognize this encoded version '],
  ['', 'unexpected end of JSON input'],
  [`${token('"rv":1,"start":"a"')} x`, "invalid character 'x' after top-level value"],
])('%s', (json, expected) => {
  expect(reported(json)).toEqual(expected);
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
