import type { PodSpec, Volume } from '@apiserver/api/core/v1';
import { allContainers } from './all-containers.js';

/**
 * The names of the secrets that a pod refers to, with duplicates.
 * Upstream: VisitPodSecretNames of pkg/api/pod/util.go
 */
export function* podSecretNames(spec: PodSpec): Generator<string> {
  for (const { name } of spec.imagePullSecrets ?? []) yield name ?? '';
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { secretRef } of envFrom) if (secretRef !== undefined) yield secretRef.name ?? '';
    for (const { valueFrom } of env) {
      if (valueFrom?.secretKeyRef !== undefined) yield valueFrom.secretKeyRef.name ?? '';
    }
  }
  for (const volume of spec.volumes ?? []) yield* volumeSecretNames(volume);
}

function* volumeSecretNames(volume: Volume): Generator<string> {
  if (volume.azureFile?.secretName) yield volume.azureFile.secretName;
  if (volume.secret !== undefined) yield volume.secret.secretName ?? '';
  for (const { secret } of volume.projected?.sources ?? []) if (secret !== undefined) yield secret.name ?? '';
  const references = [
    volume.cephfs?.secretRef,
    volume.cinder?.secretRef,
    volume.flexVolume?.secretRef,
    volume.rbd?.secretRef,
    volume.scaleIO?.secretRef,
    volume.iscsi?.secretRef,
    volume.storageos?.secretRef,
    volume.csi?.nodePublishSecretRef,
  ];
  for (const reference of references) if (reference) yield reference.name ?? '';
}
