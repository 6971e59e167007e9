import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { storedDefinitions } from '../../testing/group-dependencies.js';
import { objectWithPodSpec, POD_KINDS } from '../../testing/object-with-pod-spec.js';
import type { PodFeatures } from './pod-features.js';

const context = testContext({ namespace: 'ns' });

/** Each feature with a field of its own: what a specification has, and a trace of it in JSON. */
const FEATURES: readonly (readonly [feature: keyof PodFeatures, fields: object, trace: string])[] = [
  ['GenericWorkload', { schedulingGroup: { podGroupName: 'g' } }, 'podGroupName'],
  ['ClusterTrustBundleProjection', projecting({ clusterTrustBundle: { name: 'b', path: 'p' } }), 'clusterTrustBundle'],
  [
    'PodCertificateRequest',
    projecting({ podCertificate: { signerName: 'example.com/s', keyType: 'ED25519', keyPath: 'p' } }),
    'podCertificate',
  ],
  [
    'ContainerStopSignals',
    { containers: [{ name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGUSR1' } }] },
    'SIGUSR1',
  ],
  [
    'ContainerRestartRules',
    { containers: [{ name: 'c', image: 'i', restartPolicy: 'Never' }] },
    '"restartPolicy":"Never"',
  ],
  [
    'ContainerRestartRules',
    { initContainers: [{ name: 'd', image: 'i', restartPolicy: 'Never' }] },
    '"restartPolicy":"Never"',
  ],
  [
    'EnvFiles',
    { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', valueFrom: { fileKeyRef: {} } }] }] },
    'fileKeyRef',
  ],
  ['PodLevelResources', { resources: { requests: { cpu: '12345m' } } }, '12345m'],
  ['HostnameOverride', { hostnameOverride: 'h' }, 'hostnameOverride'],
  ['MatchLabelKeysInPodTopologySpread', { topologySpreadConstraints: [{ matchLabelKeys: ['a'] }] }, 'matchLabelKeys'],
];

function projecting(source: object) {
  return { volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'c' } }, source] } }] };
}

function definitionOf(kind: string, features: Partial<PodFeatures>) {
  const found = storedDefinitions({ containers: { allowPrivileged: false, features } }).find(
    (one) => one.kind === kind,
  );
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

describe.each(POD_KINDS)('%s', (kind) => {
  it.each(FEATURES)('has the fields of %s while they are enabled, or the old object has them', async (...args) => {
    const [feature, fields, trace] = args;
    const keeps = async (enabled: boolean) => {
      const { strategy } = definitionOf(kind, { [feature]: enabled });
      const created = objectWithPodSpec(kind, fields);
      await strategy.prepareForCreate?.(context, created);
      const added = objectWithPodSpec(kind, fields);
      await strategy.prepareForUpdate?.(context, added, objectWithPodSpec(kind, {}));
      const kept = objectWithPodSpec(kind, fields);
      await strategy.prepareForUpdate?.(context, kept, objectWithPodSpec(kind, fields));
      return [created, added, kept].map((object) => JSON.stringify(object).includes(trace));
    };
    expect([await keeps(false), await keeps(true)]).toEqual([
      [false, false, true],
      [true, true, true],
    ]);
  });

  it('loses no field of another feature', async () => {
    const { strategy } = definitionOf(kind, { GenericWorkload: true });
    const created = objectWithPodSpec(kind, { ...FEATURES[0]?.[1], ...projecting({ downwardAPI: { items: [] } }) });
    await strategy.prepareForCreate?.(context, created);
    const text = JSON.stringify(created);
    expect([text.includes('podGroupName'), text.includes('downwardAPI'), text.includes('configMap')]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

it.each(FEATURES)('a field of %s counts as a change of the specification', async (feature, fields) => {
  const { strategy } = definitionOf('DaemonSet', { [feature]: true });
  const changed = async (from: object, to: object) => {
    const updated = objectWithPodSpec('DaemonSet', to);
    await strategy.prepareForUpdate?.(context, updated, objectWithPodSpec('DaemonSet', from));
    const { generation, annotations } = updated.metadata;
    return [generation, annotations?.['deprecated.daemonset.template.generation']];
  };
  expect([await changed(fields, fields), await changed({}, fields), await changed(fields, {})]).toEqual([
    [1, '0'],
    [2, '1'],
    [2, '1'],
  ]);
});

it.each([
  ['g', ''],
  ['G', 'Invalid value'],
])('a group named %s is checked', (podGroupName, fault) => {
  const { strategy } = definitionOf('Pod', { GenericWorkload: true });
  const errors = strategy
    .validate(context, objectWithPodSpec('Pod', { schedulingGroup: { podGroupName } }))
    .filter(({ field }) => field.includes('schedulingGroup'));
  expect(errors.map(({ field, type }) => [field, type])).toEqual(
    fault === '' ? [] : [['spec.schedulingGroup.podGroupName', 'FieldValueInvalid']],
  );
});
