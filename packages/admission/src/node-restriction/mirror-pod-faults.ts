import type { Pod, PodSpec, Volume } from '@apiserver/api/core/v1';
import { quote } from '@apiserver/apimachinery/text';
import { podConfigMapNames, podSecretNames } from '@apiserver/resource-kit/pods';

export const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * The reason why a node may not create a pod; undefined if it may. `uidOf` finds the UID of the node itself.
 * Upstream: admitPodCreate of plugin/pkg/admission/noderestriction/admission.go
 */
export function mirrorPodCreationFault(pod: Pod, nodeName: string, uidOf: () => string): string | undefined {
  const node = `node ${quote(nodeName)}`;
  if (pod.metadata.annotations?.[MIRROR_POD_ANNOTATION] === undefined) {
    return `pod does not have "${MIRROR_POD_ANNOTATION}" annotation, ${node} can only create mirror pods`;
  }
  if (pod.spec.nodeName !== nodeName) return `${node} can only create pods with spec.nodeName set to itself`;
  return ownerFault(pod, nodeName, uidOf) ?? referenceFault(pod.spec, node);
}

function ownerFault({ metadata }: Pod, nodeName: string, uidOf: () => string): string | undefined {
  const node = `node ${quote(nodeName)}`;
  const [owner, ...others] = metadata.ownerReferences ?? [];
  if (others.length > 0) return `${node} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) {
    return `${node} can only create pods with an owner reference set to itself`;
  }
  if (!owner.controller) return `${node} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `${node} must not set blockOwnerDeletion on an owner reference`;
  const uid = uidOf();
  return owner.uid === uid ? undefined : `node ${nodeName} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** A node may read the objects that its pods refer to. So it must not create pods that refer to any. */
function referenceFault(spec: PodSpec, node: string): string | undefined {
  const what = referredResource(spec);
  return what && `${node} can not create pods that reference ${what}`;
}

/** The resource of an API object that a pod refers to. Upstream: HasAPIObjectReference of pkg/api/pod/util.go */
function referredResource(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return 'serviceaccounts';
  if (podSecretNames(spec).next().done === false) return 'secrets';
  if (podConfigMapNames(spec).next().done === false) return 'configmaps';
  if (spec.resourceClaims !== undefined && spec.resourceClaims.length > 0) return 'resourceclaims';
  for (const volume of spec.volumes ?? []) {
    const what = volumeResource(volume);
    if (what !== undefined) return what;
  }
  return undefined;
}

/** Volumes and their sources that need no API object are not listed. */
function volumeResource(volume: Volume): string | undefined {
  if (volume.csi !== undefined) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs !== undefined) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim !== undefined) return 'persistentvolumeclaims';
  if (volume.ephemeral !== undefined) return 'persistentvolumeclaims (via ephemeral volumes)';
  if (volume.azureFile !== undefined) return 'secrets (via azureFile volumes)';
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) return 'serviceaccounts (via projected volumes)';
    if (source.clusterTrustBundle !== undefined) return 'clustertrustbundles';
    if (source.podCertificate !== undefined) return 'podcertificates';
  }
  return undefined;
}
