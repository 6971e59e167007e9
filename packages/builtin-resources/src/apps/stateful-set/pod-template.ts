import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { PodTemplateSpec, Volume } from '@apiserver/api/core/v1';
import type { FieldError } from '@apiserver/apimachinery/field';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateMetadata, validatePodTemplateSpec } from '../../core/pod-spec/pod-template.js';
import { TEMPLATE } from '../paths.js';

/**
 * The template as the controller completes it: a claim's volume replaces a volume of the same name.
 * Upstream: volumesToAddForTemplates of pkg/apis/apps/validation/validation.go
 */
function filledTemplate({ template, volumeClaimTemplates = [] }: StatefulSet['spec']): PodTemplateSpec {
  if (volumeClaimTemplates.length === 0) return template;
  const volumes = new Map<string, Volume>();
  for (const { metadata } of volumeClaimTemplates) {
    const name = metadata?.name ?? '';
    volumes.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  const own = (template.spec.volumes ?? []).filter(({ name }) => !volumes.has(name));
  return { ...template, spec: { ...template.spec, volumes: [...volumes.values(), ...own] } };
}

/** Validates the template of the pods. */
export function validateTemplate(spec: StatefulSet['spec']): FieldError[] {
  return validatePodTemplateSpec(filledTemplate(spec), podTemplateRules(), TEMPLATE);
}

/** Validates an updated template. If the old template was invalid too, only metadata is validated. */
export function validateTemplateUpdate(spec: StatefulSet['spec'], old: StatefulSet['spec']): FieldError[] {
  const rules: PodSpecRules = podTemplateRules(old.template);
  const faults = validatePodTemplateSpec(filledTemplate(spec), rules, TEMPLATE);
  if (faults.length === 0 || validatePodTemplateSpec(filledTemplate(old), rules, TEMPLATE).length === 0) return faults;
  return validatePodTemplateMetadata(spec.template, rules, TEMPLATE);
}
