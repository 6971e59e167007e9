import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { jsonTypeMeta, openBody } from './body-kind.js';

it.each([
  ['apiVer\u017fion', { apiVersion: 'v1', kind: 'Pod' }],
  ['APIVERSION', { apiVersion: 'v1', kind: 'Pod' }],
  ['apiVerzion', { apiVersion: 'v2', kind: 'Pod' }],
])('takes %j for the version where Go does', (name, found) => {
  expect(jsonTypeMeta({ apiVersion: 'v2', [name]: 'v1', '\u212aind': 'Pod' })).toEqual(found);
});

const openedJson = (text: string) => {
  try {
    const { apiVersion, kind } = openBody(Buffer.from(text), 'application/json', undefined);
    return { apiVersion, kind };
  } catch (error) {
    return messageOf(error);
  }
};

const LARGE = `,"a":"${'x'.repeat(300_000)}"}`;

it.each([['}'], [LARGE]])('reads repeated kinds as Go: the last text, unless one has another type', (end) => {
  const wrong = (type: string, name: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${name} of type string`;
  expect([
    openedJson(`{"apiVersion":"v1","kind":"A","kind":"B"${end}`),
    openedJson(`{"apiVersion":"v1","kind":"A","kind":null${end}`),
    openedJson(`{"apiVersion":1,"apiVersion":"v1"${end}`),
    openedJson(`{"kind":[],"kind":1,"kind":null${end}`),
  ]).toEqual([
    { apiVersion: 'v1', kind: 'B' },
    { apiVersion: 'v1', kind: 'A' },
    wrong('number', 'apiVersion'),
    wrong('array', 'kind'),
  ]);
});
