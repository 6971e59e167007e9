import { expect, it } from 'vitest';
import { untrustedPayload } from './compact-jws.js';
import { jsonPart } from './json-part.js';

it('has the names of a token, also after a token of anybody with a name that V8 confuses', () => {
  const token = (json: string) => `e30.${Buffer.from(json).toString('base64url')}.x`;
  const read = (json: string) => [untrustedPayload(token(json)), jsonPart(token(json), 1)];
  const name = String.raw`https:\/\/a.b\/groups`;
  const taken = name.slice(0, JSON.parse(`"${name}"`).length);
  JSON.parse(`{"issuedBy":"x",${JSON.stringify(taken)}:[],"numbers":[]}`);
  const shown = read(`{"issuedBy":"x","${name}":["a"],"numbers":[{"big":9007199254740994,"part":1.5}]}`);
  const claims = { issuedBy: 'x', 'https://a.b/groups': ['a'], numbers: [{ big: 2 ** 53 + 2, part: 1.5 }] };
  expect(shown).toEqual([claims, claims]);
});
