import type { ReplicationController } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { replicationControllers } from './index.js';

const { strategy, versions } = replicationControllers({ allowPrivileged: true });

function controller(metadata: ReplicationController['metadata']): ReplicationController {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { namespace: 'default', ...metadata },
    spec: { replicas: 1, template },
    status: { replicas: 0 },
  } as unknown as ReplicationController;
  versions[0]?.applyDefaults?.(made);
  return made;
}

const PATTERN_FAULT = /^metadata\.name: Invalid value: "A-1": a lowercase RFC 1123 subdomain must consist of [^"]*$/;

it.each<[string, ReplicationController['metadata'], unknown]>([
  ['a name', { name: 'a.b' }, ''],
  ['a name made from an odd one', { name: 'a-1', generateName: 'A_' }, ''],
  ['no name', {}, 'metadata.name: Required value: name or generateName is required'],
  [
    'a long name',
    { name: 'a'.repeat(254) },
    `metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 bytes`,
  ],
  ['capitals in both', { name: 'A-1', generateName: 'A-' }, expect.stringMatching(PATTERN_FAULT)],
])('judges %s', (_what, metadata, message) => {
  expect(aggregateFieldErrors(strategy.validate(testContext(), controller(metadata)))).toEqual(message);
});
