import { expect, it } from 'vitest';
import { jsonTypeMeta } from './body-kind.js';

it.each([
  ['apiVer\u017fion', { apiVersion: 'v1', kind: 'Pod' }],
  ['APIVERSION', { apiVersion: 'v1', kind: 'Pod' }],
  ['apiVerzion', { apiVersion: 'v2', kind: 'Pod' }],
])('takes %j for the version where Go does', (name, found) => {
  expect(jsonTypeMeta({ apiVersion: 'v2', [name]: 'v1', '\u212aind': 'Pod' })).toEqual(found);
});
