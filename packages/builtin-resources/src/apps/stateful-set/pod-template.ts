import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { PodTemplateSpec, Volume } from '@apiserver/api/core/v1';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { PodSpecRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateMetadata, validatePodTemplateSpec } from '../../core/pod-spec/pod-template.js';
import { TEMPLATE } from '../paths.js';

/**
 * The template as the controller completes it: a claim's volume replaces a volume of the same name, and each pod has a
 * hostname and a subdomain of its own.
 * Upstream: ValidateStatefulSetSpec and volumesToAddForTemplates of pkg/apis/apps/validation/validation.go
 */
function completedTemplate({ template, volumeClaimTemplates = [] }: StatefulSet['spec']): PodTemplateSpec {
  const { hostname: _, subdomain: __, ...spec } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec };
  const volumes = new Map<string, Volume>();
  for (const { metadata } of volumeClaimTemplates) {
    const name = metadata?.name ?? '';
    volumes.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  const own = (spec.volumes ?? []).filter(({ name }) => !volumes.has(name));
  return { ...template, spec: { ...spec, volumes: [...volumes.values(), ...own] } };
}

/** Validates the template of the pods. Faults of its metadata are reported twice, as upstream. */
export function validateTemplate(spec: StatefulSet['spec'], rules: PodSpecRules): FieldError[] {
  const template = completedTemplate(spec);
  return [...validatePodTemplateSpec(template, rules, TEMPLATE), ...validateTemplateMetadata(template, rules)];
}

/** Validates the labels and annotations of the template only. */
export function validateTemplateMetadata(template: PodTemplateSpec, rules: PodSpecRules): FieldError[] {
  return validatePodTemplateMetadata(template, rules, TEMPLATE);
}
