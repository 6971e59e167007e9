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

/**
 * A node may read the objects that its pods refer to. So it must not create pods that refer to any.
 * Upstream: HasAPIObjectReference of pkg/api/pod/util.go
 */
function referenceFault(spec: PodSpec, node: string): string | undefined {
  const resource = referredResource(spec);
  if (resource !== undefined) return referring(node, resource);
  for (const volume of spec.volumes ?? []) {
    const fault = volumeFault(volume, node);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function referring(node: string, resource: string): string {
  return `${node} can not create pods that reference ${resource}`;
}

/**
 * The resource of an API object that a pod refers to by other fields than volumes, or by any volume with a name of it.
 */
function referredResource(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return 'serviceaccounts';
  if (podSecretNames(spec).next().done === false) return 'secrets';
  if (podConfigMapNames(spec).next().done === false) return 'configmaps';
  return spec.resourceClaims !== undefined && spec.resourceClaims.length > 0 ? 'resourceclaims' : undefined;
}

/** Volumes and their sources that need no API object are not listed. */
function volumeFault(volume: Volume, node: string): string | undefined {
  if (volume.csi !== undefined) return referring(node, 'csidrivers (via CSI volumes)');
  if (volume.glusterfs !== undefined) return referring(node, 'endpoints (via glusterFS volumes)');
  if (volume.persistentVolumeClaim !== undefined) return referring(node, 'persistentvolumeclaims');
  if (volume.ephemeral !== undefined) return referring(node, 'persistentvolumeclaims (via ephemeral volumes)');
  if (volume.azureFile !== undefined) return referring(node, 'secrets (via azureFile volumes)');
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) return referring(node, 'serviceaccounts (via projected volumes)');
    if (source.clusterTrustBundle !== undefined) return referring(node, 'clustertrustbundles');
    if (source.podCertificate !== undefined) return referring(node, 'podcertificates');
    if (source.downwardAPI !== undefined) continue;
    const unknown = `unknown source for projected volume ${quote(volume.name)}`;
    return `error checking mirror pod for API references: ${unknown}`;
  }
  return undefined;
}
