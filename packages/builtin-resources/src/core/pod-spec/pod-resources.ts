import type { PodResourceClaim, PodSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';
import { containerResources } from '@apiserver/resource-kit/pods';
import { notSupported } from '../../validation/enum-field.js';
import { amountOf } from '../resource-amounts.js';
import { validateDNS1123Label } from '../validation/dns-fields.js';
import { validateNamed } from '../validation/named-reference.js';
import {
  isHugePageResource,
  validateContainerResourceName,
  validateResourceName,
} from '../validation/resource-name.js';
import { validateResourceRequirements } from '../validation/resource-requirements.js';
import { MIRROR_ANNOTATION } from './pod-annotations.js';
import { isPodLevelResource } from './pod-level-resource.js';
import type { PodSpecScope } from './pod-spec-scope.js';

/** Validates pod-level resources. Upstream: validatePodResources of pkg/apis/core/validation/validation.go */
export function validatePodResources({ spec, rules, claimNames }: PodSpecScope, path: FieldPath): FieldError[] {
  const { resources, os } = spec;
  if (resources === undefined || !rules.features.PodLevelResources) return [];
  if (os?.name === 'windows') return [fieldForbidden(path, 'may not be set for a windows pod')];
  const errors: FieldError[] = [];
  if (resources.claims !== undefined) {
    errors.push(fieldForbidden(path.child('claims'), 'claims may not be set for Resources at pod-level'));
  }
  const requirementRules = {
    validateResourceName: validatePodResourceName,
    claimNames,
    allowIndivisibleHugePages: rules.allowIndivisibleHugePages,
  };
  return [
    ...errors,
    ...validateResourceRequirements(resources, requirementRules, path),
    ...validateSums(spec, 'requests', path),
    ...validateSums(spec, 'limits', path),
    ...validateContainerLimits(spec, path),
  ];
}

function validatePodResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (errors.length > 0 || isPodLevelResource(name)) return errors;
  return [notSupported(path, name, ['cpu', 'hugepages-', 'memory'])];
}

/** The sum of the containers' requests must not exceed the pod's. Of limits, only huge pages are summed. */
function validateSums(spec: PodSpec, field: 'requests' | 'limits', path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, sum] of containerResources(spec, field)) {
    const ofPod = amountOf(spec.resources?.[field], name);
    if (ofPod === undefined || (field === 'limits' && !isHugePageResource(name))) continue;
    if (sum.compare(ofPod) <= 0) continue;
    const message = `must be greater than or equal to aggregate container ${field} of ${sum}`;
    errors.push(fieldInvalid(path.child(field).key(name), ofPod.toString(), message));
  }
  return errors;
}

function validateContainerLimits(spec: PodSpec, path: FieldPath): FieldError[] {
  return (spec.containers ?? []).flatMap(({ resources }, i) =>
    Object.entries(resources?.limits ?? {}).flatMap(([name, text]) => {
      const ofPod = amountOf(spec.resources?.limits, name);
      if (ofPod === undefined) return [];
      const limit = Quantity.parse(text);
      if (limit.compare(ofPod) <= 0) return [];
      const place = path.child('containers').index(i).key(name).child('limits');
      return [fieldInvalid(place, limit.toString(), `must be less than or equal to pod limits of ${ofPod}`)];
    }),
  );
}

/** Validates the overhead of the pod. Upstream: validateOverhead */
export function validateOverhead({ spec, rules }: PodSpecScope, path: FieldPath): FieldError[] {
  if (spec.overhead === undefined) return [];
  const requirementRules = {
    validateResourceName: validateContainerResourceName,
    claimNames: new Set<string>(),
    allowIndivisibleHugePages: rules.allowIndivisibleHugePages,
  };
  return validateResourceRequirements({ limits: spec.overhead }, requirementRules, path);
}

/** Validates resource claims. Upstream: validatePodResourceClaims */
export function validateResourceClaims({ spec, rules }: PodSpecScope, path: FieldPath): FieldError[] {
  const names = new Set<string>();
  const isStatic = rules.podMeta?.annotations?.[MIRROR_ANNOTATION] !== undefined;
  return (spec.resourceClaims ?? []).flatMap((claim, i) =>
    isStatic
      ? [fieldForbidden(FieldPath.of(''), 'static pods do not support resource claims')]
      : validateResourceClaim(claim, names, path.index(i)),
  );
}

function validateResourceClaim(claim: PodResourceClaim, names: Set<string>, path: FieldPath): FieldError[] {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  const errors = validateClaimName(name, names, path.child('name'));
  const shown = {
    Name: name,
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const message = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    errors.push(fieldInvalid(path, shown, message));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    errors.push(fieldInvalid(path, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
  }
  for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
    const reference = claim[field];
    if (reference !== undefined) errors.push(...validateNamed(reference, path.child(field), nameIsDNSSubdomain));
  }
  return errors;
}

function validateClaimName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (!name) return [fieldRequired(path, '')];
  if (names.has(name)) return [fieldDuplicate(path, name)];
  names.add(name);
  return validateDNS1123Label(name, path);
}
