import { expect, it } from 'vitest';
import { parseJson } from './parse-json.js';
import { outlineOrValue } from './type-outline.js';

it('each byte of a kind that is no UTF-8 becomes one U+FFFD, as in Go', () => {
  const bytes = Buffer.concat([Buffer.from('{"kind":"T'), Buffer.from([0xe2, 0x82]), Buffer.from('","spec":{"a":1}}')]);
  expect(outlineOrValue(parseJson(bytes))).toEqual({ kind: 'T\ufffd\ufffd' });
});
