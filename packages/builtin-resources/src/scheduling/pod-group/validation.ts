import type { PodGroup, PodGroupTemplateReference } from '@apiserver/api/scheduling/v1alpha2';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain, validateConditions, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import {
  type GroupFeatures,
  validateConstraints,
  validateLongName,
  validateSchedulingPolicy,
  validateShortName,
} from '../scheduling-fields.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
/** Upstream: the declared rules of PodGroupSpec. */
const IMMUTABLE = [
  'podGroupTemplateRef',
  'schedulingPolicy',
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
] as const;

/** Upstream: ValidatePodGroup of pkg/apis/scheduling/validation, and the declared rules of the API types */
export function validatePodGroup({ metadata, spec }: PodGroup, features: GroupFeatures): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true, validateName: nameIsDNSSubdomain, path: METADATA }),
    ...validateTemplateReference(spec.podGroupTemplateRef ?? undefined, SPEC.child('podGroupTemplateRef')),
    ...validateSchedulingPolicy(spec.schedulingPolicy, SPEC.child('schedulingPolicy')),
    ...validateConstraints(spec, features, SPEC),
  ];
}

/** The whole spec is immutable. Upstream: ValidatePodGroupUpdate */
export function validatePodGroupUpdate({ metadata, spec }: PodGroup, old: PodGroup): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata, METADATA),
    ...IMMUTABLE.flatMap((name) =>
      validateImmutableField(spec[name] ?? null, old.spec[name] ?? null, SPEC.child(name), null),
    ),
  ];
}

/** Upstream: ValidatePodGroupStatusUpdate */
export function validatePodGroupStatusUpdate(podGroup: PodGroup, old: PodGroup): readonly FieldError[] {
  const { conditions = [], resourceClaimStatuses = [] } = podGroup.status;
  const claims = podGroup.spec.resourceClaims ?? [];
  const path = STATUS.child('resourceClaimStatuses');
  const unmatched = resourceClaimStatuses.flatMap(({ name }, i) => {
    if (claims.some((claim) => claim.name === name)) return [];
    const fault = 'must match the name of an entry in `spec.resourceClaims`';
    return [fieldInvalid(path.index(i).child('name'), name, fault)];
  });
  return [
    ...validateBuiltInObjectMetaUpdate(podGroup.metadata, old.metadata, METADATA),
    ...validateConditions(conditions, STATUS.child('conditions')),
    ...unmatched,
  ];
}

function validateTemplateReference(reference: PodGroupTemplateReference | undefined, path: FieldPath): FieldError[] {
  if (reference === undefined) return [];
  const { workload } = reference;
  if (!workload) return [fieldInvalid(path, '', 'must specify one of: `workload`')];
  const at = path.child('workload');
  return [
    ...validateLongName(workload.workloadName, at.child('workloadName')),
    ...validateShortName(workload.podGroupTemplateName, at.child('podGroupTemplateName')),
  ];
}
