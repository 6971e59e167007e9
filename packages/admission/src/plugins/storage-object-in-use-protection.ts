import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { isMainEndpoint } from '../endpoint.js';

const FINALIZERS = [
  { group: '', resource: 'persistentvolumes', finalizer: 'kubernetes.io/pv-protection' },
  { group: '', resource: 'persistentvolumeclaims', finalizer: 'kubernetes.io/pvc-protection' },
  { group: 'storage.k8s.io', resource: 'volumeattributesclasses', finalizer: 'kubernetes.io/vac-protection' },
];

/**
 * Adds a finalizer to new volumes and claims, so that they outlive their users. A controller removes it.
 * Upstream: plugin/pkg/admission/storage/storageobjectinuseprotection
 */
export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: (operation, endpoint) =>
      operation === 'CREATE' && FINALIZERS.some((protectedResource) => isMainEndpoint(endpoint, protectedResource)),
    admit(attributes) {
      const { group, resource } = attributes.resource;
      const known = FINALIZERS.find((candidate) => candidate.group === group && candidate.resource === resource);
      const { metadata } = admittedObject(attributes);
      const finalizers = metadata.finalizers ?? [];
      if (known === undefined || finalizers.includes(known.finalizer)) return;
      metadata.finalizers = [...finalizers, known.finalizer];
    },
  };
}
