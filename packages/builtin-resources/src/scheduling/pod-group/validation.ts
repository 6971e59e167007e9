import type { PodGroup, PodGroupStatus, PodGroupTemplateReference } from '@apiserver/api/scheduling/v1alpha2';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validateConditions, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import {
  forbiddenFields,
  type GroupFeatures,
  longNameFaults,
  validateConstraints,
  validateLongName,
  validateSchedulingPolicy,
  validateShortName,
} from '../scheduling-fields.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const CLAIM_STATUSES = STATUS.child('resourceClaimStatuses');
/** Upstream: MaxPodGroupResourceClaims of k8s.io/api/scheduling/v1alpha2 */
const MAX_CLAIMS = 4;
/** Fields that no update may change. Upstream: the declared rules of PodGroupSpec. */
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
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateTemplateReference(spec.podGroupTemplateRef ?? undefined, SPEC.child('podGroupTemplateRef')),
    ...validateSchedulingPolicy(spec.schedulingPolicy, SPEC.child('schedulingPolicy')),
    ...validateConstraints(spec, features, SPEC),
  ];
}

/**
 * The whole spec is immutable, but an update may remove the fields of a disabled feature.
 * Upstream: ValidatePodGroupUpdate
 */
export function validatePodGroupUpdate(
  { metadata, spec }: PodGroup,
  old: PodGroup,
  features: GroupFeatures,
): readonly FieldError[] {
  const forbidden = forbiddenFields(features);
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...IMMUTABLE.flatMap((name) => {
      const value = spec[name] ?? null;
      const oldValue = old.spec[name] ?? null;
      const path = SPEC.child(name);
      if (!forbidden.includes(name)) return validateImmutableField(value, oldValue, path, null);
      // Only the name of the class is no pointer upstream: there, an empty text is none.
      const isRemoved = value === null || (name === 'priorityClassName' && value === '');
      return isRemoved || equalJson(value, oldValue) ? [] : [fieldForbidden(path, '')];
    }),
  ];
}

/** Upstream: ValidatePodGroupStatusUpdate, and the declared rules of PodGroupStatus */
export function validatePodGroupStatusUpdate(podGroup: PodGroup, old: PodGroup): readonly FieldError[] {
  const { conditions = [], resourceClaimStatuses = [] } = podGroup.status;
  const claims = podGroup.spec.resourceClaims ?? [];
  const unmatched = resourceClaimStatuses.flatMap(({ name }, i) => {
    if (claims.some((claim) => claim.name === name)) return [];
    const fault = 'must match the name of an entry in `spec.resourceClaims`';
    return [fieldInvalid(CLAIM_STATUSES.index(i).child('name'), name, fault)];
  });
  return [
    ...validateBuiltInObjectMetaUpdate(podGroup.metadata, old.metadata),
    ...validateConditions(conditions, STATUS.child('conditions')),
    ...unmatched,
    ...validateClaimStatuses(resourceClaimStatuses, old.status.resourceClaimStatuses ?? []),
  ];
}

type ClaimStatuses = NonNullable<PodGroupStatus['resourceClaimStatuses']>;

/** Statuses that do not change are not validated again. */
function validateClaimStatuses(statuses: ClaimStatuses, old: ClaimStatuses): FieldError[] {
  if (equalJson(statuses, old)) return [];
  if (statuses.length > MAX_CLAIMS) return [fieldTooMany(CLAIM_STATUSES, statuses.length, MAX_CLAIMS)];
  const names = statuses.map(({ name }) => name);
  return [
    ...statuses.flatMap((status, i) =>
      names.indexOf(status.name) === i ? [] : [fieldDuplicate(CLAIM_STATUSES.index(i), status)],
    ),
    ...statuses.flatMap((status, i) => {
      const { resourceClaimName } = status;
      if (resourceClaimName === undefined || old.some((other) => equalJson(other, status))) return [];
      return longNameFaults(resourceClaimName, CLAIM_STATUSES.index(i).child('resourceClaimName'));
    }),
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
