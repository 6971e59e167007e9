import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { openBody } from './body-kind.js';
import { jsonTypeMeta } from './type-meta.js';

it.each([
  ['apiVer\u017fion', { apiVersion: 'v1', kind: 'Pod' }],
  ['APIVERSION', { apiVersion: 'v1', kind: 'Pod' }],
  ['apiVerzion', { apiVersion: 'v2', kind: 'Pod' }],
])('takes %j for the version where Go does', (name, found) => {
  expect(jsonTypeMeta({ apiVersion: 'v2', [name]: 'v1', '\u212aind': 'Pod' })).toEqual(found);
});

const openedJson = (text: string, type: 'application/json' | 'application/yaml' = 'application/json') => {
  try {
    const { apiVersion, kind } = openBody(Buffer.from(text), type, undefined);
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

it('takes the spellings of a name in the order of their letters in YAML', () => {
  const text = 'apiVersion: v1\nkind: B\nKind: A\nkIND: [c]\n';
  expect([
    openedJson(text, 'application/yaml'),
    openedJson('apiVersion: v1\nkind: B\nKind: A\n', 'application/yaml'),
  ]).toEqual([
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string",
    { apiVersion: 'v1', kind: 'B' },
  ]);
});
