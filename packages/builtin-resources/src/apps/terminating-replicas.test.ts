import type { Deployment, ReplicaSet } from '@apiserver/api/apps/v1';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../core/pod-spec/pod-features.js';
import type { Strategies } from '../workload/strategies.js';
import { deploymentStrategies } from './deployment/strategy.js';
import { replicaSetStrategies } from './replica-set/strategy.js';
import type { Workload } from './workload-strategy.js';

const context = testContext({ namespace: 'ns' });
const made = (status: object) => ({ metadata: {}, spec: { template: { spec: {} } }, status }) as unknown as Workload;
const gates = (isOn: boolean) => ({ enabled: () => isOn });

/** The status after an update from `before`, as JSON. */
async function kept<T extends Deployment | ReplicaSet>({ status }: Strategies<T>, before: object): Promise<object> {
  const object = made({ replicas: 1, terminatingReplicas: 2 });
  await status.prepareForUpdate?.(context, object as unknown as T, made(before) as unknown as T);
  return object.status;
}

it.each<[string, boolean, object, object]>([
  ['on', true, {}, { replicas: 1, terminatingReplicas: 2 }],
  ['off', false, {}, { replicas: 1 }],
  ['off, with a stored count', false, { terminatingReplicas: 0 }, { replicas: 1, terminatingReplicas: 2 }],
])('DeploymentReplicaSetTerminatingReplicas is %s', async (_, isOn, before, expected) => {
  expect([
    await kept(deploymentStrategies(DEFAULT_POD_FEATURES, gates(isOn)), before),
    await kept(replicaSetStrategies(DEFAULT_POD_FEATURES, gates(isOn)), before),
  ]).toEqual([expected, expected]);
});
