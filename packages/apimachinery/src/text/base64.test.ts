import { expect, it } from 'vitest';
import { base64Fault } from './base64.js';

it.each<[string, number | undefined]>([
  ['QQ==', undefined],
  ['QQ==\n', undefined],
  ['QUJD\nQQ==', undefined],
  ['QU_-', undefined],
  ['QU+/', 2],
  ['QQ=x', 2],
  ['QQ=', 3],
  ['QQ=\n', 4],
  ['QQ===', 4],
  ['QQ\n=\n=x', 6],
  ['QUI=x', 4],
  ['Q', 0],
  ['Q=', 1],
  ['QUJDé', 4],
])('%j has the fault of Go in the alphabet of URLs', (text, at) => {
  expect(base64Fault(text, '-_')).toBe(at);
});

it('takes the standard alphabet by default', () => {
  expect([base64Fault('QU+/'), base64Fault('QU_-')]).toEqual([undefined, 2]);
});
