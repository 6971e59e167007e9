import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { Quantity } from '@apiserver/apimachinery/values';
import { storageClassWarnings } from '../storage-class-warnings.js';

/** Upstream: GetWarningsForPersistentVolumeClaim of pkg/api/persistentvolumeclaim/util.go */
export function persistentVolumeClaimWarnings(claim: PersistentVolumeClaim): readonly string[] {
  return [...storageClassWarnings(claim), ...claimSpecWarnings(claim.spec, FieldPath.of('spec'))];
}

/** Upstream: GetWarningsForPersistentVolumeClaimSpec */
export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, path: FieldPath): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const quantity = Quantity.parse(resources?.[list]?.['storage'] ?? '0');
    if (quantity.milliValue() % 1000n === 0n) return [];
    const at = path.child('resources', list).key('storage');
    return [`${at}: fractional byte value ${quote(quantity.toString())} is invalid, must be an integer`];
  });
}
