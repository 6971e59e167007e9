import { expect, it } from 'vitest';
import { type ContentReport, deletionConditions } from './deletion-conditions.js';

const clean: ContentReport = { unknown: [], errors: [], remaining: new Map(), finalizers: new Map() };
const trueOnes = (report: Partial<ContentReport>) =>
  deletionConditions([], { ...clean, ...report }, 'now')
    .filter(({ status }) => status === 'True')
    .map(({ type, reason, message }) => [type, reason, message]);

it.each<[Partial<ContentReport>, readonly (readonly string[])[]]>([
  [{}, []],
  [
    { unknown: ['b/v1', 'a/v1'] },
    [
      [
        'NamespaceDeletionDiscoveryFailure',
        'DiscoveryFailed',
        'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a/v1: stale GroupVersion discovery: a/v1, b/v1: stale GroupVersion discovery: b/v1',
      ],
    ],
  ],
  [{ discoveryError: 'no' }, [['NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', 'no']]],
  [
    { errors: ['z', 'a'] },
    [
      [
        'NamespaceDeletionContentFailure',
        'ContentDeletionFailed',
        'Failed to delete all resource types, 2 remaining: a, z',
      ],
    ],
  ],
  [
    {
      remaining: new Map([
        ['pods.', 2],
        ['deployments.apps', 1],
      ]),
      finalizers: new Map([['x', 3]]),
    },
    [
      [
        'NamespaceContentRemaining',
        'SomeResourcesRemain',
        'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'SomeFinalizerRemain',
        'Some finalizers are remaining: x in 3 resource instances',
      ],
    ],
  ],
])('%j is reported', (report, expected) => {
  expect(trueOnes(report)).toEqual(expected);
});

it('changes only what is different, and the time only with the status', () => {
  const first = deletionConditions([{ type: 'Other', status: 'True' }], { ...clean, errors: ['a'] }, 'first');
  expect(deletionConditions(first, { ...clean, errors: ['a'] }, 'second')).toBe(first);
  const times = (report: ContentReport) =>
    deletionConditions(first, report, 'second').map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
  const types = first.slice(1).map(({ type }) => type);
  expect(times({ ...clean, errors: ['b'] })).toEqual([['Other', undefined], ...types.map((type) => [type, 'first'])]);
  expect(times(clean)).toEqual([
    ['Other', undefined],
    ...types.map((type) => [type, type === 'NamespaceDeletionContentFailure' ? 'second' : 'first']),
  ]);
});
