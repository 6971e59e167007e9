import type { ResourceQuota, ResourceQuotaSpec, ResourceQuotaStatus } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired, printedAsJson } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { FIELD_IMMUTABLE_MESSAGE } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateQuotaResourceName } from '../validation/resource-name.js';
import { validateResourceQuantity } from '../validation/resource-quantity.js';
import { validateScopeSelector, validateScopes } from './scope-validation.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');

/** Upstream: ValidateResourceQuota of pkg/apis/core/validation/validation.go */
export function validateResourceQuota({ metadata, spec, status }: ResourceQuota): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateSpec(spec),
    ...validateStatus(status),
  ];
}

/** The scopes are immutable. Upstream: ValidateResourceQuotaUpdate */
export function validateResourceQuotaUpdate(
  { metadata, spec }: ResourceQuota,
  old: ResourceQuota,
): readonly FieldError[] {
  const scopes = (of: ResourceQuotaSpec) => [...new Set(of.scopes)].sort();
  const areKept = equalJson(scopes(spec), scopes(old.spec));
  const printed = printedAsJson(spec.scopes ?? null);
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec),
    ...(areKept ? [] : [fieldInvalid(SPEC.child('scopes'), printed, FIELD_IMMUTABLE_MESSAGE)]),
  ];
}

/** Upstream: ValidateResourceQuotaStatusUpdate */
export function validateResourceQuotaStatusUpdate(
  { metadata, status }: ResourceQuota,
  old: ResourceQuota,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...(metadata.resourceVersion ? [] : [fieldRequired(FieldPath.of('resourceVersion'), '')]),
    ...validateStatus(status),
  ];
}

function validateSpec(spec: ResourceQuotaSpec): FieldError[] {
  return [
    ...validateAmounts(spec.hard, SPEC.child('hard')),
    ...validateScopes(spec, SPEC.child('scopes')),
    ...validateScopeSelector(spec, SPEC.child('scopeSelector')),
  ];
}

function validateStatus({ hard, used }: ResourceQuotaStatus): FieldError[] {
  return [...validateAmounts(hard, STATUS.child('hard')), ...validateAmounts(used, STATUS.child('used'))];
}

function validateAmounts(amounts: Readonly<Record<string, string>> = {}, path: FieldPath): FieldError[] {
  const entries = Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.flatMap(([resource, amount]) => [
    ...validateQuotaResourceName(resource, path.key(resource)),
    ...validateResourceQuantity(resource, amount, path.key(resource)),
  ]);
}
