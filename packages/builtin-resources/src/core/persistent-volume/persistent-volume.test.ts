import type { PersistentVolume, PersistentVolumeSpec } from '@apiserver/api/core/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { persistentVolumes } from './index.js';
import { persistentVolumeStrategies } from './strategy.js';

const context = testContext({ namespace: '' });
const clock = { now: () => Date.UTC(2030, 0, 2, 3, 4, 5) };
const OFF: FeatureGates = { enabled: () => false };
const { main, status } = persistentVolumeStrategies(clock, OFF);
const [version] = persistentVolumes(systemClock, OFF).versions;

function volume(spec: Partial<PersistentVolumeSpec> = {}, fields: Partial<PersistentVolume> = {}): PersistentVolume {
  const source = Object.keys(spec).some((field) => SOURCES.has(field)) ? {} : { hostPath: { path: '/data' } };
  const made: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v', uid: 'u', resourceVersion: '1' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...source, ...structuredClone(spec) },
    status: {},
    ...structuredClone(fields),
  };
  version?.applyDefaults?.(made);
  return made;
}

const IQN = 'iqn.2015-02.example:x';
const SOURCES = new Set(['nfs', 'csi', 'local', 'iscsi', 'glusterfs', 'cinder', 'storageos', 'cephfs', 'azureFile']);
const affinityTo = (key: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] },
});

it('defaults to Retain, Pending and Filesystem', () => {
  expect(volume()).toMatchObject({
    spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', hostPath: { type: '' } },
    status: { phase: 'Pending' },
  });
});

describe('validation', () => {
  it.each<[Partial<PersistentVolumeSpec>, string]>([
    [{}, ''],
    [
      { accessModes: [], capacity: {} },
      '[spec.accessModes: Required value, spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage"]',
    ],
    [
      { capacity: { storage: '1Gi', cpu: '-1' } },
      '[spec.capacity: Unsupported value: {"storage":"1Gi","cpu":"-1"}: supported values: "storage", spec.capacity[cpu]: Invalid value: -1: must be a valid resource quantity, spec.capacity[cpu]: Invalid value: "-1": must be greater than zero]',
    ],
    [
      { persistentVolumeReclaimPolicy: 'Lose', volumeMode: 'Tape' },
      '[spec.persistentVolumeReclaimPolicy: Unsupported value: "Lose": supported values: "Delete", "Recycle", "Retain", spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"]',
    ],
    [
      { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' },
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
    [{ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Retain' }, ''],
    [{ hostPath: { path: '/a' }, persistentVolumeReclaimPolicy: 'Recycle' }, ''],
    [
      { hostPath: { path: 'a/..' }, persistentVolumeReclaimPolicy: 'Recycle' },
      `spec.hostPath.path: Invalid value: "a/..": must not contain '..'`,
    ],
    [
      { hostPath: { path: '/a/..' }, persistentVolumeReclaimPolicy: 'Recycle' },
      `[spec.hostPath.path: Invalid value: "/a/..": must not contain '..', spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/']`,
    ],
    [
      { hostPath: { path: '/a' }, nfs: { server: 's', path: '/p' }, cephfs: { monitors: ['m'] } },
      '[spec.nfs: Forbidden: may not specify more than 1 volume type, spec.cephFS: Forbidden: may not specify more than 1 volume type]',
    ],
    [{ local: { path: '/a' } }, 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
    [{ local: { path: '/a' }, nodeAffinity: affinityTo('a') }, ''],
    [{ nodeAffinity: {} }, 'spec.nodeAffinity.required: Required value: must specify required node constraints'],
    [
      { volumeAttributesClassName: '' },
      '[spec.volumeAttributesClassName: Required value: an empty string is disallowed, spec.csi: Required value: has to be specified when using volumeAttributesClassName]',
    ],
    [
      { csi: { driver: '', volumeHandle: '', nodePublishSecretRef: {} } },
      `[spec.csi.driver: Required value, spec.csi.volumeHandle: Required value, spec.csi.nodePublishSecretRef.name: Required value, spec.csi.nodePublishSecretRef.namespace: Required value]`,
    ],
    [
      { iscsi: { targetPortal: 't', iqn: 'odd', lun: 256, secretRef: {} } },
      '[spec.iscsi.iqn: Invalid value: "odd": must be valid format, spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive, spec.iscsi.secretRef.name: Required value]',
    ],
    [
      { iscsi: { targetPortal: 'é'.repeat(32), iqn: IQN, lun: 1, initiatorName: IQN } },
      `spec.iscsi.targetportal: Invalid value: "${'é'.repeat(32)}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
    ],
    [
      { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
    [
      { cinder: { volumeID: 'v', secretRef: {} } },
      '[spec.cinder.secretRef.name: Required value, spec.cinder.secretRef.namespace: Required value]',
    ],
    [
      { azureFile: { secretName: 's', shareName: 's', secretNamespace: '' } },
      'spec.azureFile.secretNamespace: Required value',
    ],
  ])('%j', (spec, message) => {
    expect(aggregateFieldErrors(main.validate(context, volume(spec)))).toBe(message);
  });

  it('requires a source', () => {
    const none = volume();
    delete none.spec.hostPath;
    expect(aggregateFieldErrors(main.validate(context, none))).toBe('spec: Required value: must specify a volume type');
  });

  const csi = { driver: 'd', volumeHandle: 'h' };
  const DIFFERENCE = [
    '@@ -22,7 +22,7 @@',
    '  "StorageOS": null,',
    '  "CSI": {',
    '   "Driver": "d",',
    '-  "VolumeHandle": "h",',
    '+  "VolumeHandle": "other",',
    '   "ReadOnly": false,',
    '   "FSType": "",',
    '   "VolumeAttributes": null,',
    '',
  ].join('\n');
  const secret = { controllerExpandSecretRef: { name: 'a', namespace: 'b' } };

  it.each<[string, Partial<PersistentVolumeSpec>, Partial<PersistentVolumeSpec>, string]>([
    ['nothing', {}, {}, ''],
    ['a claim', {}, { claimRef: { name: 'c', namespace: 'n' } }, ''],
    ['a first secret for expansion', { csi }, { csi: { ...csi, ...secret } }, ''],
    [
      'another source',
      { csi },
      { csi: { ...csi, volumeHandle: 'other' } },
      `spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n${DIFFERENCE}`,
    ],
    [
      'many attributes',
      { csi },
      {
        csi: { ...csi, volumeAttributes: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, ''])) },
      },
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n(the difference is too long to be printed)\n',
    ],
    ['another mode', {}, { volumeMode: 'Block' }, 'volumeMode: Invalid value: "Block": field is immutable'],
    ['a first affinity', {}, { nodeAffinity: affinityTo('a') }, ''],
    [
      'the new name of a label',
      { nodeAffinity: affinityTo('beta.kubernetes.io/os') },
      { nodeAffinity: affinityTo('kubernetes.io/os') },
      '',
    ],
    [
      'no attributes any more',
      { csi, volumeAttributesClassName: 'gold' },
      { csi },
      'spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
    ],
  ])('of an update to %s', (_what, before, after, message) => {
    expect(aggregateFieldErrors(main.validateUpdate(context, volume(after), volume(before)))).toBe(message);
  });

  it('of an update to another affinity', () => {
    const errors = main.validateUpdate(
      context,
      volume({ nodeAffinity: affinityTo('b') }),
      volume({ nodeAffinity: affinityTo('a') }),
    );
    expect(errors.map(({ field, detail }) => [field, detail])).toEqual([
      ['nodeAffinity', 'field is immutable, except for updating from beta label to GA'],
    ]);
  });

  it.each([{ nodeAffinity: affinityTo('b') }, {}])('of an update to %j with MutablePVNodeAffinity', (after) => {
    const on = persistentVolumeStrategies(clock, { enabled: (name) => name === 'MutablePVNodeAffinity' }).main;
    expect(on.validateUpdate(context, volume(after), volume({ nodeAffinity: affinityTo('a') }))).toEqual([]);
  });
});

it('records the time of a phase transition', async () => {
  const made = volume({}, { status: { phase: 'Bound' } });
  await main.prepareForCreate?.(context, made);
  expect(made.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: '2030-01-02T03:04:05Z' });
  const old = volume({}, { status: { phase: 'Pending', lastPhaseTransitionTime: '2029-01-01T00:00:00Z' } });
  const changes = [{ phase: 'Pending' }, { phase: 'Bound' }, { phase: 'Bound', lastPhaseTransitionTime: 'mine' }];
  const after = await Promise.all(
    changes.map(async (state) => {
      const changed = volume({}, { status: { ...old.status, ...state } });
      await status.prepareForUpdate?.(context, changed, old);
      return changed.status.lastPhaseTransitionTime;
    }),
  );
  expect(after).toEqual(['2029-01-01T00:00:00Z', '2030-01-02T03:04:05Z', 'mine']);
});

it.each([
  ['2029-01-01T00:00:00Z', 'Pending', '2029-01-01T00:00:00Z'],
  [undefined, 'Pending', undefined],
  ['2029-01-01T00:00:00Z', 'Bound', '2030-01-02T03:04:05Z'],
])('of a status that drops the time %s, in the phase %s', async (time, phase, kept) => {
  const changed = volume({}, { status: { phase } });
  const state = { phase: 'Pending', ...(time && { lastPhaseTransitionTime: time }) };
  await status.prepareForUpdate?.(context, changed, volume({}, { status: state }));
  expect(changed.status.lastPhaseTransitionTime).toBe(kept);
});

it('warns of deprecated labels of nodes', () => {
  const shown = volume({ nodeAffinity: affinityTo('beta.kubernetes.io/os') });
  expect(main.warningsOnCreate?.(context, shown)).toEqual([
    'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
});

it('warns of removed features', () => {
  const shown = volume({ cephfs: { monitors: ['m'] }, persistentVolumeReclaimPolicy: 'Recycle' });
  expect(main.warningsOnCreate?.(context, shown)).toEqual([
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  ]);
});

describe('an annotation with mount options', () => {
  const annotated = (spec: Partial<PersistentVolumeSpec>) => {
    const annotations = {
      'volume.beta.kubernetes.io/mount-options': '',
      'volume.beta.kubernetes.io/storage-class': '',
    };
    return volume(spec, { metadata: { name: 'v', uid: 'u', resourceVersion: '1', annotations } });
  };
  const csi = { driver: 'd.example.com', volumeHandle: 'h' };

  it.each<[Partial<PersistentVolumeSpec>, boolean]>([
    [{ nfs: { server: 's', path: '/' } }, true],
    [{ cephfs: { monitors: ['m'] } }, true],
    [{ iscsi: { targetPortal: '1.2.3.4:5', iqn: IQN, lun: 0 } }, true],
    [{}, false],
    [{ csi }, false],
    [{ storageos: { volumeName: 'v' } }, false],
  ])('of %j', (spec, isAllowed) => {
    const forbidden =
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type';
    const expected = isAllowed ? '' : forbidden;
    const changed = annotated(spec);
    const found = [main.validate(context, changed), main.validateUpdate(context, changed, volume(spec))];
    expect(found.map(aggregateFieldErrors)).toEqual([expected, expected]);
    expect(status.validateUpdate(context, changed, volume(spec))).toEqual([]);
  });

  it('earns a warning', () =>
    expect(main.warningsOnUpdate?.(context, annotated({}), volume())).toEqual([
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    ]));
});

it('shows its size, claim and class', () => {
  const shown = volume({ claimRef: { namespace: 'n', name: 'c' }, storageClassName: 'fast' });
  shown.metadata = { ...shown.metadata, creationTimestamp: '2030-01-01T00:00:00Z' };
  const cells = persistentVolumes(systemClock, OFF).columns.map((column) =>
    column.cell(shown, rowTime('2030-01-01T05:00:00Z')),
  );
  expect(cells).toEqual(['v', '1Gi', 'RWO', 'Retain', 'Pending', 'n/c', 'fast', '<unset>', '', '5h', 'Filesystem']);
});
