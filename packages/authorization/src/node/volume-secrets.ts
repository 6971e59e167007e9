import type { PersistentVolume, PersistentVolumeSpec } from '@apiserver/api/core/v1';

/** Namespace and name of an object. */
export type NamespacedName = readonly [namespace: string, name: string];

interface SecretReference {
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * The secrets that the kubelet needs to mount a volume. Older volumes name no namespace: it is then that of the claim.
 * Upstream: VisitPVSecretNames of pkg/api/v1/persistentvolume/util.go
 */
export function volumeSecrets({ spec }: PersistentVolume): NamespacedName[] {
  const found = secretsOf(spec, spec.claimRef?.namespace ?? '');
  return found.filter(([, name]) => name !== '');
}

function secretsOf(spec: PersistentVolumeSpec, claimNamespace: string): NamespacedName[] {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec;
  const inClaims = (secret: SecretReference | null | undefined) => named(secret, secret?.namespace || claimNamespace);
  if (azureFile !== undefined) return [[azureFile.secretNamespace || claimNamespace, azureFile.secretName]];
  if (cephfs !== undefined) return inClaims(cephfs.secretRef);
  if (cinder !== undefined) return named(cinder.secretRef, cinder.secretRef?.namespace);
  if (flexVolume !== undefined) return inClaims(flexVolume.secretRef);
  if (rbd !== undefined) return inClaims(rbd.secretRef);
  if (scaleIO !== undefined) return inClaims(scaleIO.secretRef);
  if (iscsi !== undefined) return inClaims(iscsi.secretRef);
  if (storageos !== undefined) return named(storageos.secretRef, storageos.secretRef?.namespace);
  const ofNode = [csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef];
  return ofNode.flatMap((secret) => named(secret, secret?.namespace));
}

function named(secret: SecretReference | null | undefined, namespace = ''): NamespacedName[] {
  return secret == null ? [] : [[namespace, secret.name ?? '']];
}
