import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { enabledParts } from './enabled-groups.js';

/** A group of two versions and two resources; only the names count. */
const group = {
  group: 'g',
  versions: ['v1', 'v1beta1'],
  resources: ['as', 'bs'].map((resource) => ({ definition: { resource } })),
} as unknown as APIGroupInfo;

it.each<[string, readonly string[], readonly [readonly string[], readonly string[]][]]>([
  [
    'everything',
    ['v1/as', 'v1/bs', 'v1beta1/as', 'v1beta1/bs'],
    [
      [
        ['v1', 'v1beta1'],
        ['as', 'bs'],
      ],
    ],
  ],
  ['nothing', [], []],
  ['a version', ['v1/as', 'v1/bs'], [[['v1'], ['as', 'bs']]]],
  ['a resource', ['v1beta1/bs'], [[['v1beta1'], ['bs']]]],
  [
    'all but a resource of a version',
    ['v1/as', 'v1/bs', 'v1beta1/as'],
    [
      [['v1'], ['as', 'bs']],
      [['v1beta1'], ['as']],
    ],
  ],
])('serves %s', (_what, enabled, parts) => {
  const isEnabled = (one: { group: string; version: string; resource: string }) =>
    one.group === 'g' && enabled.includes(`${one.version}/${one.resource}`);
  const left = enabledParts(group, { isEnabled });
  expect(
    left.map(({ versions, resources }) => [versions, resources.map(({ definition }) => definition.resource)]),
  ).toEqual(parts);
  expect(left.every((part) => part.group === 'g')).toBe(true);
  expect(left.includes(group)).toBe(enabled.length === 4);
});

it('leaves out a group without resources', () => {
  expect(enabledParts({ ...group, resources: [] }, { isEnabled: () => true })).toEqual([]);
});
