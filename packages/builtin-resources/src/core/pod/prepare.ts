import type { Pod, PodSpec } from '@apiserver/api/core/v1';
import type { LabelSelector } from '@apiserver/api/meta/v1';
import { APP_ARMOR_ANNOTATION_PREFIX, appArmorProfileOfAnnotation } from '../pod-spec/security/app-armor-profile.js';
import { allContainers } from '../pod-spec/visit-containers.js';

/**
 * Adds the condition of a pod with scheduling gates.
 * Upstream: applySchedulingGatedCondition of pkg/registry/core/pod/strategy.go
 */
export function addGatedCondition({ spec, status }: Pod): void {
  const gated = (spec.schedulingGates ?? []).length > 0;
  const { conditions = [] } = status;
  if (!gated || conditions.some(({ type }) => type === 'PodScheduled')) return;
  const condition = {
    type: 'PodScheduled',
    lastProbeTime: null,
    lastTransitionTime: null,
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  status.conditions = [...conditions, condition];
}

/** Merges the labels named in matchLabelKeys into the selectors of affinity and topology spread. Mutates. */
export function mergeMatchLabelKeys({ metadata, spec }: Pod): void {
  const labels = metadata.labels ?? {};
  for (const term of affinityTerms(spec)) {
    addExpressions(term.labelSelector, 'In', term.matchLabelKeys, labels);
    addExpressions(term.labelSelector, 'NotIn', term.mismatchLabelKeys, labels);
  }
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
    addExpressions(labelSelector, 'In', matchLabelKeys, labels);
  }
}

function affinityTerms({ affinity }: PodSpec) {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((side) => [
    ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ]);
}

function addExpressions(
  selector: LabelSelector | undefined,
  operator: 'In' | 'NotIn',
  keys: readonly string[] | undefined,
  labels: Readonly<Record<string, string>>,
): void {
  if (!selector) return;
  for (const key of keys ?? []) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}

/**
 * Converts profiles in annotations to fields. Returns warnings about them. Mutates.
 * Upstream: applyAppArmorVersionSkew of pkg/registry/core/pod/strategy.go
 */
export function syncAppArmorAnnotations({ metadata, spec }: Pod): readonly string[] {
  if (spec.os?.name === 'windows') return [];
  const warnings: string[] = [];
  for (const container of allContainers(spec)) {
    const key = `${APP_ARMOR_ANNOTATION_PREFIX}${container.name}`;
    const annotation = metadata.annotations?.[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = appArmorProfileOfAnnotation(annotation);
    if (profile === undefined) continue;
    warnings.push(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
  return warnings;
}
