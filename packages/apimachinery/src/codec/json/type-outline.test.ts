import { expect, it } from 'vitest';
import { parseJson } from './parse-json.js';
import { outlineOrValue, outlineWithTypes, typeOutline } from './type-outline.js';

it('each byte of a kind that is no UTF-8 becomes one U+FFFD, as in Go', () => {
  const bytes = Buffer.concat([Buffer.from('{"kind":"T'), Buffer.from([0xe2, 0x82]), Buffer.from('","spec":{"a":1}}')]);
  expect(outlineOrValue(parseJson(bytes))).toEqual({ kind: 'T\ufffd\ufffd' });
});

it('keeps names with other letters that Go takes for those of the type', () => {
  expect(typeOutline(parseJson(Buffer.from('{"apiVer\u017fion":"v1","\u212aind":"Pod","x":1}')))).toEqual({
    'apiVer\u017fion': 'v1',
    '\u212aind': 'Pod',
  });
});

it('has every member of the type, also those whose names are repeated', () => {
  const { types } = outlineWithTypes(parseJson(Buffer.from('{"kind":-1e400,"a":{"kind":2},"Kind":[1],"kind":null}')));
  expect(types).toEqual([
    ['kind', 0],
    ['Kind', []],
    ['kind', null],
  ]);
});
