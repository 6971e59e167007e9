import type { Pod, PodSpec } from '@apiserver/api/core/v1';
import type { LabelSelector } from '@apiserver/api/meta/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { equalJson, getOwn } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { ResourceDefinition, Strategy } from '@apiserver/apiserver-contracts';
import { allContainers } from '@apiserver/resource-kit/pods';
import type { WallClock } from '../../builtin-group.js';
import {
  APP_ARMOR_ANNOTATION_PREFIX,
  appArmorProfileOfAnnotation,
  validateAppArmorProfile,
} from '../pod-spec/security/app-armor-profile.js';
import { type NewPodCondition, setPodCondition } from './conditions.js';

/**
 * The definition of pods for a server with this clock: new pods with scheduling gates get the condition of gated pods.
 * Upstream: applySchedulingGatedCondition of pkg/registry/core/pod/strategy.go
 */
export function withGatedCondition(definition: ResourceDefinition<Pod>, clock: WallClock): ResourceDefinition<Pod> {
  const strategy: Strategy<Pod> = {
    ...definition.strategy,
    async prepareForCreate(context, pod) {
      await definition.strategy.prepareForCreate?.(context, pod);
      if ((pod.spec.schedulingGates ?? []).length > 0) setPodCondition(pod.status, GATED, formatTime(clock.now()));
    },
  };
  return { ...definition, strategy };
}

const GATED: NewPodCondition = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

/**
 * Merges the labels named in matchLabelKeys into the selectors of affinity and, with the feature, of topology spread.
 * Mutates.
 */
export function mergeMatchLabelKeys({ metadata, spec }: Pod, ofSpread: boolean): void {
  const labels = metadata.labels ?? {};
  for (const term of affinityTerms(spec)) {
    addExpressions(term.labelSelector, 'In', term.matchLabelKeys, labels);
    addExpressions(term.labelSelector, 'NotIn', term.mismatchLabelKeys, labels);
  }
  if (!ofSpread) return;
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
    const value = getOwn(labels, key);
    if (value === undefined) continue;
    selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}

/**
 * Converts profiles in annotations to fields, unless they repeat the pod's profile. Returns warnings about them, also
 * about invalid ones. Mutates.
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
    const isValid = profile !== undefined && validateAppArmorProfile(profile, FieldPath.none).length === 0;
    if (isValid && equalJson(profile, spec.securityContext?.appArmorProfile ?? null)) continue;
    warnings.push(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    if (isValid) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
  return warnings;
}
