import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';

it.each([
  ['persistentvolumes', undefined, ['kubernetes.io/pv-protection']],
  ['persistentvolumeclaims', ['a'], ['a', 'kubernetes.io/pvc-protection']],
  ['persistentvolumeclaims', ['kubernetes.io/pvc-protection'], ['kubernetes.io/pvc-protection']],
  ['volumeattributesclasses.storage.k8s.io', undefined, ['kubernetes.io/vac-protection']],
])('%s with %j', async (resource, finalizers, expected) => {
  const metadata = { name: 'x', ...(finalizers && { finalizers }) };
  const attributes = objectAttributes(resource, { apiVersion: 'v1', kind: 'Any', metadata });
  const outcome = await runPlugin(storageObjectInUseProtection(), attributes);
  expect(outcome).toMatchObject({ object: { metadata: { finalizers: expected } } });
});
