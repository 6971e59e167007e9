import type { StorageClass } from '@apiserver/api/storage/v1';

/** Mutates. Upstream: SetDefaults_StorageClass of pkg/apis/storage/v1/defaults.go */
export function applyStorageClassDefaults(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}
