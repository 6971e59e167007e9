import type { Pod } from '@apiserver/api/core/v1';
import { podConfigMapNames, podSecretNames } from '@apiserver/resource-kit/pods';

/** The kinds of objects that a node may read because its pods refer to them, as logs name them. */
export type ReferredKind = 'configmap' | 'pvc' | 'resourceclaim' | 'secret' | 'serviceAccount';

const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * The objects of the pod's namespace that the pod refers to, with duplicates. A mirror pod has none: its node made it,
 * and must not grant itself access.
 * Upstream: AddPod of plugin/pkg/auth/authorizer/node/graph.go
 */
export function* podReferences(pod: Pod): Generator<readonly [kind: ReferredKind, name: string]> {
  const { metadata, spec, status } = pod;
  if (metadata.annotations?.[MIRROR_POD_ANNOTATION] !== undefined) return;
  if (spec.serviceAccountName) yield ['serviceAccount', spec.serviceAccountName];
  for (const name of podSecretNames(spec)) if (name !== '') yield ['secret', name];
  for (const name of podConfigMapNames(spec)) if (name !== '') yield ['configmap', name];
  for (const { name, persistentVolumeClaim, ephemeral } of spec.volumes ?? []) {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name ?? ''}-${name}`);
    if (claim) yield ['pvc', claim];
  }
  for (const name of resourceClaimNames(pod)) yield ['resourceclaim', name];
  const extended = status?.extendedResourceClaimStatus?.resourceClaimName;
  if (extended) yield ['resourceclaim', extended];
}

/**
 * The claims that a pod names, or that were made for it. A claim that is still to be made is left out.
 * Upstream: Name of k8s.io/dynamic-resource-allocation/resourceclaim
 */
function* resourceClaimNames({ spec, status }: Pod): Generator<string> {
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec.resourceClaims ?? []) {
    if (resourceClaimName !== undefined) yield resourceClaimName;
    else if (resourceClaimTemplateName !== undefined) {
      const made = status?.resourceClaimStatuses?.find((claim) => claim.name === name)?.resourceClaimName;
      if (made !== undefined) yield made;
    }
  }
}

/**
 * The mutable parts of a pod that its references depend on, as one text: an update that keeps it keeps them.
 * Upstream: updatePod of plugin/pkg/auth/authorizer/node/graph_populator.go
 */
export function referencesStamp({ metadata, spec, status }: Pod): string {
  const claims = status?.resourceClaimStatuses?.map(({ name, resourceClaimName }) => [name, resourceClaimName]) ?? [];
  const extended = status?.extendedResourceClaimStatus?.resourceClaimName ?? '';
  const containers = spec.ephemeralContainers?.length ?? 0;
  const uid = metadata.uid ?? '';
  return claims.length === 0 && extended === '' && containers === 0
    ? uid
    : JSON.stringify([uid, containers, extended, claims]);
}
