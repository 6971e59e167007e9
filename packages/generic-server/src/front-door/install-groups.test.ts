import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { groupVersionsOf } from './install-groups.js';

const resource = (group: string, ...versions: readonly string[]) =>
  ({ group, versions: versions.map((version) => ({ version })) }) as unknown as AnyResourceDefinition;

it.each<[readonly AnyResourceDefinition[], readonly string[] | undefined, readonly string[]]>([
  [[resource('a', 'v1')], undefined, ['v1']],
  [[resource('a', 'v2', 'v1')], undefined, ['v2', 'v1']],
  [[resource('a', 'v1'), resource('a', 'v2', 'v1')], undefined, ['v1', 'v2']],
  [[resource('a', 'v1', 'v2')], ['v2'], ['v2']],
  [[resource('a', 'v1')], [], []],
])('serves the versions of %j, given %j: %j', (resources, versions, expected) => {
  expect(groupVersionsOf({ resources, ...(versions && { versions }) })).toEqual(
    expected.map((version) => ({ group: 'a', version })),
  );
});

it.each([
  [[], 'an API group needs a resource'],
  [[resource('a'), resource('b'), resource('a')], 'the resources of one API group are of a and b'],
  [[resource('a'), resource(''), resource('c')], 'the resources of one API group are of a and  and c'],
])('refuses %j as a group', (resources, message) => {
  expect(() => groupVersionsOf({ resources })).toThrow(new Error(message));
});
