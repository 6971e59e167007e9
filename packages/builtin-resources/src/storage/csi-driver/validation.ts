import type { CSIDriver, CSIDriverSpec, TokenRequest } from '@apiserver/api/storage/v1';
import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateEnum } from '../../validation/enum-field.js';
import { firstIndexes } from '../../validation/first-indexes.js';

const SPEC = FieldPath.of('spec');
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 10 * 60;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MIN_UPDATE_PERIOD_SECONDS = 10;

/** Upstream: ValidateCSIDriver of pkg/apis/storage/validation/validation.go */
export function validateCSIDriver({ metadata, spec }: CSIDriver): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: false }), ...validateSpec(spec)];
}

/** Upstream: ValidateCSIDriverUpdate; it names `attachRequired` differently */
export function validateCSIDriverUpdate({ metadata, spec }: CSIDriver, old: CSIDriver): readonly FieldError[] {
  const attachRequired = SPEC.child('attachedRequired');
  const modes = SPEC.child('volumeLifecycleModes');
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec),
    ...validateImmutableField(spec.attachRequired, old.spec.attachRequired, attachRequired),
    ...validateImmutableField(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, modes),
  ];
}

function validateSpec(spec: CSIDriverSpec): FieldError[] {
  const { fsGroupPolicy, volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  return [
    ...validatePresent(spec.attachRequired, SPEC.child('attachedRequired')),
    ...validatePresent(spec.podInfoOnMount, SPEC.child('podInfoOnMount')),
    ...validatePresent(spec.storageCapacity, SPEC.child('storageCapacity')),
    ...(fsGroupPolicy === undefined ? [] : validateEnum(fsGroupPolicy, FS_GROUP_POLICIES, SPEC.child('fsGroupPolicy'))),
    ...validateTokenRequests(spec.tokenRequests ?? [], SPEC.child('tokenRequests')),
    ...volumeLifecycleModes.flatMap((mode) => validateEnum(mode, LIFECYCLE_MODES, SPEC.child('volumeLifecycleModes'))),
    ...validatePresent(spec.seLinuxMount, SPEC.child('seLinuxMount')),
    ...(period === undefined ? [] : validateUpdatePeriod(period, SPEC.child('nodeAllocatableUpdatePeriodSeconds'))),
    ...validateTokenInSecrets(spec, SPEC.child('serviceAccountTokenInSecrets')),
  ];
}

function validatePresent(value: boolean | undefined, path: FieldPath): FieldError[] {
  return value === undefined ? [fieldRequired(path, '')] : [];
}

/** Audiences must be unique; a duplicate is not validated further. */
function validateTokenRequests(requests: readonly TokenRequest[], path: FieldPath): FieldError[] {
  const first = firstIndexes(requests.map(({ audience }) => audience));
  return requests.flatMap(({ audience, expirationSeconds }, i) => {
    if (first.get(audience) !== i) return [fieldDuplicate(path.index(i).child('audience'), audience)];
    return expirationSeconds === undefined ? [] : validateExpiration(expirationSeconds, path.index(i));
  });
}

function validateExpiration(seconds: number | bigint, path: FieldPath): FieldError[] {
  const at = path.child('expirationSeconds');
  if (seconds < MIN_TOKEN_SECONDS) {
    return [fieldInvalid(at, seconds, 'may not specify a duration less than 10 minutes')];
  }
  if (seconds <= MAX_TOKEN_SECONDS) return [];
  return [fieldInvalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')];
}

function validateUpdatePeriod(seconds: number | bigint, path: FieldPath): FieldError[] {
  if (seconds >= MIN_UPDATE_PERIOD_SECONDS) return [];
  return [fieldInvalid(path, seconds, 'must be greater than or equal to 10 seconds')];
}

/** The field requires token requests. */
function validateTokenInSecrets({ serviceAccountTokenInSecrets, tokenRequests = [] }: CSIDriverSpec, path: FieldPath) {
  if (serviceAccountTokenInSecrets === undefined || tokenRequests.length > 0) return [];
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [fieldInvalid(path, serviceAccountTokenInSecrets, detail)];
}
