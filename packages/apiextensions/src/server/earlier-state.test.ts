import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { expect, it } from 'vitest';
import { isEarlierState } from './earlier-state.js';

function state(conditions: readonly string[], uid = 'u', scope: 'Cluster' | 'Namespaced' = 'Cluster') {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', uid },
    spec: { group: 'example.com', scope, names: { plural: 'widgets', kind: 'Widget' }, versions: [] },
    status: {
      acceptedNames: { plural: '', kind: '' },
      conditions: conditions.map((type) => ({ type, status: 'False' as const })),
    },
  } satisfies CustomResourceDefinition;
}

const served = state(['NamesAccepted', 'Established']);

it.each<[string, CustomResourceDefinition, boolean]>([
  ['without conditions', state([]), true],
  ['with a condition of another controller', state(['KubernetesAPIApprovalPolicyConformant']), true],
  ['whose names were judged', state(['NamesAccepted']), false],
  ['of another definition of that name', state([], 'v'), false],
  ['with another specification', state([], 'u', 'Namespaced'), false],
])('judges a state %s', (_what, crd, expected) => {
  expect(isEarlierState(crd, served)).toBe(expected);
});
