import type { Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { replicaSetDeclaration as replicaSets } from './apps/replica-set/index.js';
import { jobDeclaration as jobs } from './batch/job/index.js';
import { podDeclaration as pods } from './core/pod/index.js';
import { resourceSlices } from './resource/resource-slice/index.js';

it.each<[string, AnyResourceDefinition, readonly string[], string | undefined]>([
  ['jobs', jobs, ['status.successful'], 'field label "a" not supported for batchv1.Job'],
  ['replica sets', replicaSets, [], undefined],
  [
    'slices',
    resourceSlices,
    ['spec.driver', 'spec.nodeName'],
    'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: a',
  ],
])('%s are selected by their own fields, and say so', (_kind, definition, names, text) => {
  expect([definition.selectableFieldNames, definition.unknownFieldText?.('a')]).toEqual([names, text]);
});

it('pods have their node by an old name too, and nothing that is called podIPs', () => {
  const pod: KubeObject & Partial<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: [], nodeName: 'n', securityContext: {} },
    status: { podIPs: [{ ip: '10.0.0.1' }] },
  };
  const fields = pods.selectableFields?.(pod as Pod) ?? {};
  expect([pods.selectableFieldLabels?.['spec.host'], fields['spec.nodeName'], fields['status.podIPs']]).toEqual([
    'spec.nodeName',
    'n',
    '',
  ]);
  expect(pods.selectableFieldNames).toEqual(expect.arrayContaining(['spec.host', 'status.podIPs', 'status.podIP']));
});
