import { type Pod, PodSpec, type PodStatus } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { isDNS1123Label } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { qosClassOf } from '../pod-spec/qos-class.js';
import { POD_ITSELF, podWarnings } from '../pod-spec/warnings/pod-warnings.js';
import { warningsForIP } from '../validation/ip-fields.js';
import { dropDisabledStatusFields } from './disabled-status-fields.js';
import { mergeMatchLabelKeys, syncAppArmorAnnotations } from './prepare.js';
import { isTerminal } from './status-text.js';
import { validatePodStatusUpdate } from './status-validation.js';
import { validatePodUpdate } from './update-validation.js';
import { validatePod } from './validation.js';

const STATUS = FieldPath.of('status');

/** Upstream: pkg/registry/core/pod/strategy.go */
export function podStrategy(features: PodFeatures): Strategy<Pod> {
  const mergesSpreadKeys =
    features.MatchLabelKeysInPodTopologySpread && features.MatchLabelKeysInPodTopologySpreadSelectorMerge;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(context, pod) {
      pod.metadata.generation = 1;
      pod.status = { phase: 'Pending', qosClass: qosClassOf(pod.spec, features) };
      mergeMatchLabelKeys(pod, mergesSpreadKeys);
      for (const warning of syncAppArmorAnnotations(pod)) context.warnings.warn(warning);
    },
    validate: (_context, pod) => validatePod(pod, features),
    warningsOnCreate: (_context, pod) => [...nameWarnings(pod), ...podWarnings(pod, POD_ITSELF)],
    prepareForUpdate(_context, pod, old) {
      pod.status = cloneJson(old.status);
      countSpecChange(pod, old, PodSpec);
    },
    validateUpdate: (_context, pod, old) => validatePodUpdate(pod, old, features),
    checkGracefulDelete: (_context, pod, requestedSeconds) => gracePeriod(pod, requestedSeconds),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function podStatusStrategy(main: Strategy<Pod>, features: PodFeatures): Strategy<Pod> {
  return {
    ...main,
    resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
    prepareForUpdate(_context, pod, old) {
      pod.spec = cloneJson(old.spec);
      delete pod.metadata.deletionTimestamp;
      if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
      else pod.metadata.ownerReferences = cloneJson(old.metadata.ownerReferences);
      keepFieldsOlderClientsDrop(pod.status, old.status);
      dropDisabledStatusFields(pod.status, old.status, features);
    },
    validateUpdate: (_context, pod, old) => validatePodStatusUpdate(pod, old, features),
    warningsOnUpdate: (_context, { status }) => [
      ...addressWarnings(status.podIPs, STATUS.child('podIPs')),
      ...addressWarnings(status.hostIPs, STATUS.child('hostIPs')),
    ],
  };
}

/**
 * A status without QoS class or observedGeneration keeps the stored one. Of several conditions with one type, each
 * keeps that of the stored one in the same place. Mutates `status`.
 * Upstream: preserveOldObservedGeneration of pkg/registry/core/pod/strategy.go
 */
function keepFieldsOlderClientsDrop(status: PodStatus, old: PodStatus): void {
  if (!status.qosClass && old.qosClass) status.qosClass = old.qosClass;
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration;
  const before = Map.groupBy(old.conditions ?? [], ({ type }) => type);
  const counts = new Map<string, number>();
  for (const condition of status.conditions ?? []) {
    const place = counts.get(condition.type) ?? 0;
    counts.set(condition.type, place + 1);
    const generation = before.get(condition.type)?.[place]?.observedGeneration;
    if (!condition.observedGeneration && generation) condition.observedGeneration = generation;
  }
}

function addressWarnings(addresses: readonly { readonly ip?: string }[] = [], path: FieldPath): string[] {
  return addresses.flatMap(({ ip = '' }, i) => warningsForIP(ip, path.index(i).child('ip')));
}

/** A pod that never ran, or has terminated, has no grace period. */
function gracePeriod({ spec, status }: Pod, requestedSeconds: number | bigint | undefined): number | bigint {
  const seconds = requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  if (!spec.nodeName || isTerminal(status)) return 0;
  return seconds < 0 ? 1 : seconds;
}

function nameWarnings({ metadata }: Pod): string[] {
  const faults = isDNS1123Label(metadata.name ?? '');
  if (faults.length === 0) return [];
  const consequence = "this is used in the Pod's hostname, which can result in surprising behavior";
  return [`metadata.name: ${consequence}; a DNS label is recommended: [${faults.join(' ')}]`];
}
