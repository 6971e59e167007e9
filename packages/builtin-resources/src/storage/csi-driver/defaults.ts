import type { CSIDriver } from '@apiserver/api/storage/v1';

/** Mutates. Upstream: SetDefaults_CSIDriver of pkg/apis/storage/v1/defaults.go */
export function applyCSIDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}
