import type { PersistentVolume, PersistentVolumeSource } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { nodeSelectorTermWarnings } from '../../warnings/node-selector-terms.js';
import { storageClassWarnings } from '../storage-class-warnings.js';
import { mountOptionsWarnings } from './mount-options-annotation.js';

const TERMS = FieldPath.of('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');

/** Removed plugins: the field as in the warning, and the release. */
const GONE: readonly (readonly [keyof PersistentVolumeSource, string, string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Upstream: GetWarningsForPersistentVolume of pkg/api/persistentvolume/util.go */
export function persistentVolumeWarnings(volume: PersistentVolume): readonly string[] {
  const { spec } = volume;
  const recycle =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...storageClassWarnings(volume),
    ...mountOptionsWarnings(volume),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [`spec.persistentVolumeReclaimPolicy: ${recycle}`] : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeSelectorTermWarnings(term, false, TERMS.index(i)),
    ),
    ...GONE.filter(([field]) => spec[field] !== undefined).map(([, name, since]) => `spec.${name}: ${since}`),
  ];
}
