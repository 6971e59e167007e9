import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';

function claim(storage: string, phase: string, storageClassName?: string): PersistentVolumeClaim {
  const spec = { resources: { requests: { storage } }, ...(storageClassName !== undefined && { storageClassName }) };
  const metadata = { name: 'c', namespace: 'ns' };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec, status: { phase } };
}

const named = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  ...more,
});
const storageclasses = [named('grows', { allowVolumeExpansion: true }), named('stays')];
const UNBOUND = 'Only bound persistent volume claims can be expanded';
const FIXED =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

it.each<[string, PersistentVolumeClaim, PersistentVolumeClaim, string]>([
  ['grows', claim('1Gi', 'Bound', 'grows'), claim('2Gi', 'Bound', 'grows'), ''],
  ['stays', claim('1Gi', 'Pending', 'stays'), claim('1024Mi', 'Pending', 'stays'), ''],
  ['is not bound', claim('1Gi', 'Pending', 'grows'), claim('2Gi', 'Pending', 'grows'), UNBOUND],
  ['is of a class that does not grow', claim('1Gi', 'Bound', 'stays'), claim('2Gi', 'Bound', 'stays'), FIXED],
  ['is of no class', claim('1Gi', 'Bound'), claim('2Gi', 'Bound'), FIXED],
  ['is of a class that is gone', claim('1Gi', 'Bound', 'x'), claim('2Gi', 'Bound', 'x'), FIXED],
  ['changes its class', claim('1Gi', 'Bound', 'stays'), claim('2Gi', 'Bound', 'grows'), FIXED],
])('a claim that %s', async (_what, oldObject, object, fault) => {
  const plugin = persistentVolumeClaimResize(testPluginDependencies({ storageclasses }));
  const outcome = await runPlugin(plugin, objectAttributes('persistentvolumeclaims', object, { oldObject }));
  expect(outcome).toEqual(fault === '' ? { object } : { refused: `persistentvolumeclaims "c" is forbidden: ${fault}` });
});

it('refuses a claim that has no status yet', async () => {
  const { status: _, ...oldObject } = claim('1Gi', 'Bound', 'grows');
  const attributes = objectAttributes('persistentvolumeclaims', claim('2Gi', 'Bound', 'grows'), { oldObject });
  const plugin = persistentVolumeClaimResize(testPluginDependencies({ storageclasses }));
  expect(await runPlugin(plugin, attributes)).toEqual({
    refused: `persistentvolumeclaims "c" is forbidden: ${UNBOUND}`,
  });
});
