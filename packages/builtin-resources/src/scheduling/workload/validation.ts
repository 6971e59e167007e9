import type { PodGroupTemplate, TypedLocalObjectReference, Workload } from '@apiserver/api/scheduling/v1alpha2';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { dns1123SubdomainFaults, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateSegment } from '../../validation/path-segment.js';
import {
  type GroupFeatures,
  validateConstraints,
  validateSchedulingPolicy,
  validateShortName,
} from '../scheduling-fields.js';

const CONTROLLER_REF = FieldPath.of('spec', 'controllerRef');
const TEMPLATES = FieldPath.of('spec', 'podGroupTemplates');
/** Upstream: WorkloadMaxPodGroupTemplates of k8s.io/api/scheduling/v1alpha2 */
const MAX_TEMPLATES = 8;

/** Upstream: ValidateWorkload of pkg/apis/scheduling/validation, and the declared rules of the API types */
export function validateWorkload({ metadata, spec }: Workload, features: GroupFeatures): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...(spec.controllerRef === undefined ? [] : validateControllerRef(spec.controllerRef)),
    ...validateTemplates(spec.podGroupTemplates ?? [], features),
  ];
}

/** The whole spec is immutable; values that do not change are not validated again. Upstream: ValidateWorkloadUpdate */
export function validateWorkloadUpdate({ metadata, spec }: Workload, old: Workload): readonly FieldError[] {
  const templates = spec.podGroupTemplates ?? [];
  const oldTemplates = old.spec.podGroupTemplates ?? [];
  const changed = validateImmutableField(templates, oldTemplates, TEMPLATES, null);
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateImmutableField(spec.controllerRef ?? null, old.spec.controllerRef ?? null, CONTROLLER_REF, null),
    ...(changed.length === 0 ? [] : [...changed, ...validateCount(templates)]),
  ];
}

function validateControllerRef({ apiGroup = '', kind, name }: TypedLocalObjectReference): FieldError[] {
  const path = CONTROLLER_REF.child('apiGroup');
  const groupFaults = apiGroup === '' ? [] : dns1123SubdomainFaults(apiGroup, 'bytes');
  return [
    ...groupFaults.map((fault) => fieldInvalid(path, apiGroup, fault)),
    ...validateSegment(kind, CONTROLLER_REF.child('kind')),
    ...validateSegment(name, CONTROLLER_REF.child('name')),
  ];
}

function validateTemplates(templates: readonly PodGroupTemplate[], features: GroupFeatures): FieldError[] {
  const miscounted = validateCount(templates);
  if (miscounted.length > 0) return miscounted;
  const names = templates.map(({ name }) => name);
  return [
    ...templates.flatMap(({ name, schedulingPolicy, schedulingConstraints = null }, i) => {
      if (names.indexOf(name) === i) return [];
      // Upstream prints the whole template. The fields of disabled features are gone by now.
      return [fieldDuplicate(TEMPLATES.index(i), { name, schedulingPolicy, schedulingConstraints })];
    }),
    ...templates.flatMap((template, i) => [
      ...validateShortName(template.name, TEMPLATES.index(i).child('name')),
      ...validateSchedulingPolicy(template.schedulingPolicy, TEMPLATES.index(i).child('schedulingPolicy')),
      ...validateConstraints(template, features, TEMPLATES.index(i)),
    ]),
  ];
}

function validateCount(templates: readonly PodGroupTemplate[]): FieldError[] {
  if (templates.length === 0) return [fieldRequired(TEMPLATES, '')];
  return templates.length > MAX_TEMPLATES ? [fieldTooMany(TEMPLATES, templates.length, MAX_TEMPLATES)] : [];
}
