import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { defaultStorageClass } from './default-storage-class.js';

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';

function storageClass(name: string, annotations: Record<string, string>, second = 0): KubeObject {
  const creationTimestamp = `2030-01-01T00:00:0${second}Z`;
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name, annotations, creationTimestamp } };
}

const claim = (spec: object, annotations?: Record<string, string>): KubeObject & { spec: object } => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'ns', ...(annotations && { annotations }) },
  spec,
});

it.each<[string, KubeObject, KubeObject[], string | undefined]>([
  ['no class is the default', claim({}), [storageClass('a', {}), storageClass('b', { [DEFAULT]: 'false' })], undefined],
  ['no class has annotations', claim({}), [{ ...storageClass('a', {}), metadata: { name: 'a' } }], undefined],
  ['one is', claim({}), [storageClass('a', {}), storageClass('b', { [DEFAULT]: 'true' })], 'b'],
  [
    'one is by its old name',
    claim({}),
    [storageClass('a', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' })],
    'a',
  ],
  [
    'the newest is',
    claim({}),
    [storageClass('a', { [DEFAULT]: 'true' }), storageClass('b', { [DEFAULT]: 'true' }, 1)],
    'b',
  ],
  [
    'the first of several as new',
    claim({}),
    [storageClass('b', { [DEFAULT]: 'true' }), storageClass('a', { [DEFAULT]: 'true' })],
    'a',
  ],
  ['the claim has one', claim({ storageClassName: 'x' }), [storageClass('a', { [DEFAULT]: 'true' })], 'x'],
  ['the claim wants none', claim({ storageClassName: '' }), [storageClass('a', { [DEFAULT]: 'true' })], ''],
  [
    'the claim says it by annotation',
    claim({}, { 'volume.beta.kubernetes.io/storage-class': 'x' }),
    [storageClass('a', { [DEFAULT]: 'true' })],
    undefined,
  ],
])('%s', async (_what, object, storageclasses, expected) => {
  const plugin = defaultStorageClass(testPluginDependencies({ storageclasses }));
  const outcome = await runPlugin(plugin, objectAttributes('persistentvolumeclaims', object));
  expect((outcome as { object: PersistentVolumeClaim }).object.spec.storageClassName).toBe(expected);
});
