import type { Pod, PodStatus } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { isDNS1123Label } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { qosClassOf } from '../pod-spec/qos-class.js';
import { POD_ITSELF, podWarnings } from '../pod-spec/warnings/pod-warnings.js';
import { addGatedCondition, mergeMatchLabelKeys, syncAppArmorAnnotations } from './prepare.js';
import { isTerminal } from './status-text.js';
import { validatePodStatusUpdate } from './status-validation.js';
import { validatePodUpdate } from './update-validation.js';
import { validatePod } from './validation.js';

/** Upstream: pkg/registry/core/pod/strategy.go */
export const podStrategy: Strategy<Pod> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(context, pod) {
    pod.metadata.generation = 1;
    pod.status = { phase: 'Pending', qosClass: qosClassOf(pod.spec) };
    addGatedCondition(pod);
    mergeMatchLabelKeys(pod);
    for (const warning of syncAppArmorAnnotations(pod)) context.warnings.warn(warning);
  },
  validate: (_context, pod) => validatePod(pod),
  warningsOnCreate: (_context, pod) => [...nameWarnings(pod), ...podWarnings(pod, POD_ITSELF)],
  prepareForUpdate(_context, pod, old) {
    pod.status = cloneJson(old.status);
    countSpecChange(pod, old);
  },
  validateUpdate: (_context, pod, old) => validatePodUpdate(pod, old),
  warningsOnUpdate: (_context, pod, old) =>
    pod.metadata.generation === old.metadata.generation ? [] : podWarnings(pod, POD_ITSELF),
  checkGracefulDelete: (_context, pod, requestedSeconds) => gracePeriod(pod, requestedSeconds),
};

/** Strategy of the status endpoint. */
export const podStatusStrategy: Strategy<Pod> = {
  ...podStrategy,
  resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  prepareForUpdate(_context, pod, old) {
    pod.spec = cloneJson(old.spec);
    delete pod.metadata.deletionTimestamp;
    if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
    else pod.metadata.ownerReferences = cloneJson(old.metadata.ownerReferences);
    keepWhatOlderClientsDrop(pod.status, old.status);
    if (!pod.status.qosClass) pod.status.qosClass = old.status.qosClass || qosClassOf(pod.spec);
  },
  validateUpdate: (_context, pod, old) => validatePodStatusUpdate(pod, old),
  warningsOnUpdate: () => [],
};

/** A status without observedGeneration keeps the stored one. Mutates `status`. */
function keepWhatOlderClientsDrop(status: PodStatus, old: PodStatus): void {
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration;
  const before = new Map((old.conditions ?? []).map((condition) => [condition.type, condition] as const));
  for (const condition of status.conditions ?? []) {
    const generation = before.get(condition.type)?.observedGeneration;
    if (!condition.observedGeneration && generation) condition.observedGeneration = generation;
  }
}

/** A pod that never ran, or has terminated, has no grace period. */
function gracePeriod({ spec, status }: Pod, requestedSeconds: number | undefined): number {
  const seconds = requestedSeconds ?? Number(spec.terminationGracePeriodSeconds ?? 0);
  if (!spec.nodeName || isTerminal(status)) return 0;
  return seconds < 0 ? 1 : seconds;
}

function nameWarnings({ metadata }: Pod): string[] {
  const faults = isDNS1123Label(metadata.name ?? '');
  if (faults.length === 0) return [];
  const consequence = "this is used in the Pod's hostname, which can result in surprising behavior";
  return [`metadata.name: ${consequence}; a DNS label is recommended: [${faults.join(' ')}]`];
}
