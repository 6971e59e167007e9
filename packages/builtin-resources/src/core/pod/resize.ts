import { type Container, type Pod, PodSpec } from '@apiserver/api/core/v1';
import { cloneJson, definedMembers } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { validatePodResize } from './resize-validation.js';

/**
 * Strategy of the resize endpoint of a running pod, which ignores all other fields.
 * Upstream: podResizeStrategy of pkg/registry/core/pod/strategy.go
 */
export function podResizeStrategy(main: Strategy<Pod>, features: PodFeatures): Strategy<Pod> {
  return {
    ...main,
    resetFields: [],
    prepareForUpdate(_context, pod, old) {
      takeOnlyResources(pod, old, features.InPlacePodLevelResourcesVerticalScaling);
      countSpecChange(pod, old, PodSpec);
    },
    validateUpdate: (_context, pod, old) => validatePodResize(pod, old, features),
    warningsOnUpdate: () => [],
  };
}

/**
 * Validation refuses other containers, so a pod with a different number of them stays as it is.
 * Upstream: dropNonResizeUpdates
 */
function takeOnlyResources(pod: Pod, old: Pod, ofPod: boolean): void {
  const lists = ['containers', 'initContainers'] as const;
  if (lists.some((list) => (pod.spec[list] ?? []).length !== (old.spec[list] ?? []).length)) return;
  const { name, namespace, uid, resourceVersion, managedFields } = pod.metadata;
  const sent = definedMembers({ name, namespace, uid, resourceVersion, managedFields });
  const { spec } = pod;
  const kept = cloneJson(old);
  pod.metadata = { ...kept.metadata, ...sent };
  pod.status = kept.status;
  pod.spec = kept.spec;
  if (ofPod) replace(pod.spec, spec, 'resources');
  for (const list of lists) {
    const sentContainers = spec[list];
    if (sentContainers) pod.spec[list] = resized(pod.spec[list] ?? [], sentContainers);
  }
}

/** The kept containers with the sent resources; all sent ones if one has another name or place. */
function resized(kept: Container[], sent: Container[]): Container[] {
  if (sent.some(({ name }, i) => name !== kept[i]?.name)) return sent;
  for (const [i, container] of kept.entries()) {
    const wanted = sent[i] ?? container;
    container.resources = wanted.resources;
    replace(container, wanted, 'resizePolicy');
  }
  return kept;
}

function replace<T extends Container | PodSpec, K extends keyof T>(target: T, source: T, field: K): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
