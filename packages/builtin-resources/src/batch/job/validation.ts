import { type Job, type JobSpec, PodFailurePolicy, SuccessPolicy } from '@apiserver/api/batch/v1';
import { PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import {
  FIELD_IMMUTABLE_MESSAGE,
  isDNS1123Label,
  validateImmutableField,
  validateLabelSelector,
} from '@apiserver/apimachinery/validation';
import { equalSemantically, validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { parsedSelector, rulesOfStoredSelector } from '../../apps/workload-template.js';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { printedPodSpec, printedPodTemplate } from '../../core/pod-spec/printed-pod-spec.js';
import { goForm } from '../../text/go-form.js';
import { CONTROLLER_UID, JOB_NAME, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME } from './selector.js';
import { validateJobSpecFields } from './spec-validation.js';
import { hasCondition } from './status-changes.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');
/** Immutable fields. */
const FIXED = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** Immutable fields that are structures. */
const PRINTED_FIELDS: Readonly<Partial<Record<(typeof FIXED)[number], StructSchema>>> = {
  podFailurePolicy: PodFailurePolicy,
  successPolicy: SuccessPolicy,
};

/** Upstream: ValidateJob of pkg/apis/batch/validation/validation.go */
export function validateJob(job: Job, features: PodFeatures): readonly FieldError[] {
  return validateWhole(job, { rules: podTemplateRules(features), requirePrefixedLabels: true });
}

/**
 * Validates the whole job, then the change: upstream reports a fault of its spec twice.
 * Upstream: jobStrategy.ValidateUpdate of pkg/registry/batch/job/strategy.go, ValidateJobUpdate
 */
export function validateJobUpdate(job: Job, old: Job, features: PodFeatures): readonly FieldError[] {
  const { metadata, spec } = job;
  const rules = rulesOfStoredSelector(features, old.spec);
  const labels = old.spec.template.metadata.labels ?? {};
  const requirePrefixedLabels = labels[JOB_NAME] !== undefined && labels[CONTROLLER_UID] !== undefined;
  const errors = [
    ...validateWhole(job, { rules, requirePrefixedLabels }),
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateJobSpec(spec, rules),
    ...validateCompletionsUpdate(spec, old.spec),
    ...validateImmutableField(spec.selector, old.spec.selector, SPEC.child('selector')),
    ...validateTemplateUpdate(spec, old, features),
  ];
  for (const field of FIXED) {
    const value = spec[field];
    const { [field]: schema } = PRINTED_FIELDS;
    const printed = schema === undefined || value === undefined ? (value ?? null) : goForm(schema, value);
    errors.push(...validateImmutableField(value, old.spec[field], SPEC.child(field), printed));
  }
  return errors;
}

interface JobRules {
  readonly rules: PodSpecRules;
  /** False for jobs created before the prefixed labels. */
  readonly requirePrefixedLabels: boolean;
}

function validateWhole(job: Job, { rules, requirePrefixedLabels }: JobRules): FieldError[] {
  const { metadata, spec } = job;
  const errors = [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateGeneratedSelector(job, requirePrefixedLabels),
    ...validateJobSpec(spec, rules),
  ];
  const { completions = 0 } = spec;
  if (spec.completionMode !== 'Indexed' || completions <= 0) return errors;
  const hostname = `${metadata.name ?? ''}-${completions - 1}`;
  if (isDNS1123Label(hostname).length === 0) return errors;
  const message = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [...errors, fieldInvalid(METADATA.child('name'), metadata.name, message)];
}

/** Labels and selector must be the generated ones, unless the user has set them. */
function validateGeneratedSelector({ metadata, spec }: Job, requirePrefixedLabels: boolean): FieldError[] {
  if (spec.manualSelector || spec.selector === undefined) return [];
  const { uid = '', name = '' } = metadata;
  const labels = spec.template.metadata.labels ?? {};
  const legacy = { [LEGACY_CONTROLLER_UID]: uid, [LEGACY_JOB_NAME]: name };
  const expected = requirePrefixedLabels ? { ...legacy, [CONTROLLER_UID]: uid, [JOB_NAME]: name } : legacy;
  const path = TEMPLATE.child('metadata', 'labels');
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(expected)) {
    if (labels[key] === undefined) errors.push(fieldRequired(path.key(key), `must be '${value}'`));
    else if (labels[key] !== value) {
      errors.push(fieldInvalid(path.key(key), printedAsJson(labels), `must be '${value}'`));
    }
  }
  const selector = parsedSelector(spec.selector);
  if (selector === undefined || selector.matches(expected)) return errors;
  return [...errors, fieldInvalid(SPEC.child('selector'), spec.selector, '`selector` not auto-generated')];
}

function validateJobSpec(spec: JobSpec, rules: PodSpecRules): FieldError[] {
  const { selector, template } = spec;
  const path = SPEC.child('selector');
  const { allowInvalidLabelValueInSelector } = rules;
  const errors = validateJobSpecFields(spec, rules, SPEC);
  if (selector === undefined) errors.push(fieldRequired(path, ''));
  else appendAll(errors, validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, path));
  const parsed = parsedSelector(selector);
  const { labels } = template.metadata;
  if (parsed === undefined || parsed.matches(labels ?? {})) return errors;
  const message = '`selector` does not match template `labels`';
  return [...errors, fieldInvalid(TEMPLATE.child('metadata', 'labels'), printedAsJson(labels ?? null), message)];
}

/** The completions of an indexed job may change together with its parallelism. */
function validateCompletionsUpdate(spec: JobSpec, old: JobSpec): FieldError[] {
  const path = SPEC.child('completions');
  if (spec.completionMode !== 'Indexed') return validateImmutableField(spec.completions, old.completions, path);
  if (spec.completions === undefined || spec.completions === old.completions) return [];
  if (spec.completions === spec.parallelism) return [];
  return [fieldInvalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/**
 * The template of a suspended job without pods may change its scheduling and resources.
 * Upstream: validatePodTemplateUpdate, and validationOptionsForJob of pkg/registry/batch/job/strategy.go
 */
function validateTemplateUpdate({ template }: JobSpec, old: Job, features: PodFeatures): FieldError[] {
  const { template: oldTemplate } = old.spec;
  if (!features.MutablePodResourcesForSuspendedJobs && !features.MutableSchedulingDirectivesForSuspendedJobs) {
    return validateUnstartedTemplate(template, old);
  }
  if (mayChangeTemplate(old)) {
    const expected = cloneJson(oldTemplate.spec);
    allowSchedulingChanges(expected, template.spec);
    allowResourceChanges(expected, template.spec);
    if (equalSemantically(expected, template.spec, PodSpec)) return [];
    return [fieldInvalid(TEMPLATE.child('spec'), printedPodSpec(template.spec), FIELD_IMMUTABLE_MESSAGE)];
  }
  if (equalSemantically(oldTemplate, template, PodTemplateSpec)) return [];
  return [fieldInvalid(TEMPLATE, printedPodTemplate(template), FIELD_IMMUTABLE_MESSAGE)];
}

/** The rule before these gates: a suspended job that never started may change the scheduling of its pods, and their labels. */
function validateUnstartedTemplate(template: JobSpec['template'], old: Job): FieldError[] {
  const expected = cloneJson(old.spec.template);
  if (old.spec.suspend === true && old.status.startTime === undefined) {
    allowSchedulingChanges(expected.spec, template.spec);
    for (const field of ['annotations', 'labels'] as const) copyField(expected.metadata, template.metadata, field);
  }
  if (equalSemantically(expected, template, PodTemplateSpec)) return [];
  return [fieldInvalid(TEMPLATE, printedPodTemplate(template), FIELD_IMMUTABLE_MESSAGE)];
}

/** Upstream: shouldAllowMutablePodTemplate of pkg/registry/batch/job/strategy.go */
function mayChangeTemplate(job: Job): boolean {
  const { startTime, active = 0 } = job.status;
  return job.spec.suspend === true && active === 0 && (startTime === undefined || hasCondition(job, 'Suspended'));
}

function allowSchedulingChanges(old: PodSpec, spec: PodSpec): void {
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) copyField(old, spec, field);
  const { nodeAffinity: _, ...others } = old.affinity ?? {};
  const nodeAffinity = spec.affinity?.nodeAffinity;
  if (nodeAffinity !== undefined) old.affinity = { ...others, nodeAffinity };
  else if (Object.keys(others).length > 0 || spec.affinity !== undefined) old.affinity = others;
  else delete old.affinity;
}

/** Containers are compared by position and name; of lists with another length, none may change. */
function allowResourceChanges(old: PodSpec, spec: PodSpec): void {
  for (const field of ['containers', 'initContainers'] as const) {
    if ((old[field] ?? []).length !== (spec[field] ?? []).length) continue;
    for (const [i, container] of (old[field] ?? []).entries()) {
      const changed = spec[field]?.[i];
      if (changed?.name === container.name) container.resources = changed.resources;
    }
  }
}

function copyField<T extends object>(target: T, source: T, field: keyof T): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
