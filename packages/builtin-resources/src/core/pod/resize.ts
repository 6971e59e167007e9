import type { Container, Pod, PodSpec } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validatePodResize } from './resize-validation.js';
import { podStrategy } from './strategy.js';

/**
 * Strategy of the resize endpoint of a running pod, which ignores all other fields.
 * Upstream: podResizeStrategy of pkg/registry/core/pod/strategy.go
 */
export const podResizeStrategy: Strategy<Pod> = {
  ...podStrategy,
  resetFields: [],
  prepareForUpdate(_context, pod, old) {
    takeOnlyResources(pod, old);
    countSpecChange(pod, old);
  },
  validateUpdate: (_context, pod, old) => validatePodResize(pod, old),
  warningsOnUpdate: () => [],
};

/** Upstream: dropNonResizeUpdates */
function takeOnlyResources(pod: Pod, old: Pod): void {
  const { name, namespace, uid, resourceVersion, managedFields } = pod.metadata;
  const sent = Object.entries({ name, namespace, uid, resourceVersion, managedFields });
  const { spec } = pod;
  const kept = cloneJson(old);
  pod.metadata = { ...kept.metadata, ...Object.fromEntries(sent.filter(([, value]) => value !== undefined)) };
  pod.status = kept.status;
  pod.spec = kept.spec;
  replace(pod.spec, spec, 'resources');
  for (const field of ['containers', 'initContainers'] as const) resize(pod.spec[field], spec[field]);
}

/** Matches containers by name and ignores additions, removals and moves. */
function resize(containers: Container[] | null | undefined, sent: readonly Container[] | null | undefined): void {
  const byName = new Map((sent ?? []).map((container) => [container.name, container] as const));
  for (const container of containers ?? []) {
    const wanted = byName.get(container.name);
    if (wanted === undefined) continue;
    container.resources = wanted.resources;
    replace(container, wanted, 'resizePolicy');
  }
}

function replace<T extends Container | PodSpec, K extends keyof T>(target: T, source: T, field: K): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
