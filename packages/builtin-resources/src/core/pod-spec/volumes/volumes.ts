import type { Volume } from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateDNS1123Label } from '../../validation/dns-fields.js';
import type { PodSpecRules } from '../pod-spec-rules.js';
import { VOLUME_SOURCE_RULES, type VolumeSourceRule } from './volume-sources.js';

const MORE_THAN_ONE = 'may not specify more than 1 volume type';

/** The result of validating a pod's volumes. */
export interface ValidatedVolumes {
  /** Valid volumes, to which containers can refer. */
  readonly sound: ReadonlyMap<string, Volume>;
  readonly errors: readonly FieldError[];
}

/** Upstream: ValidateVolumes of pkg/apis/core/validation/validation.go */
export function validateVolumes(volumes: readonly Volume[], rules: PodSpecRules, path: FieldPath): ValidatedVolumes {
  const created = createdClaims(volumes, rules.podMeta?.name);
  const sound = new Map<string, Volume>();
  const errors: FieldError[] = [];
  for (const [i, volume] of volumes.entries()) {
    const faults = validateVolume(volume, sound, rules, path.index(i));
    if (faults.length === 0) sound.set(volume.name, volume);
    appendAll(errors, faults);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName === undefined || !created.has(claimName)) continue;
    const message = 'must not reference a PVC that gets created for an ephemeral volume';
    errors.push(fieldInvalid(path.index(i).child('persistentVolumeClaim', 'claimName'), claimName, message));
  }
  return { sound, errors };
}

/** The claims to be created for the ephemeral volumes of a pod with a known name. */
function createdClaims(volumes: readonly Volume[], podName: string | undefined): ReadonlySet<string> {
  if (!podName) return new Set();
  return new Set(volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${podName}-${name}`));
}

/** Faults of the source precede those of the name. */
function validateVolume(
  volume: Volume,
  known: ReadonlyMap<string, Volume>,
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const { name } = volume;
  const errors = validateVolumeSource(volume, rules, path);
  if (!name) errors.push(fieldRequired(path.child('name'), ''));
  else errors.push(...validateDNS1123Label(name, path.child('name')));
  if (known.has(name)) errors.push(fieldDuplicate(path.child('name'), name));
  return errors;
}

/** Requires exactly one valid source. Upstream: validateVolumeSource */
function validateVolumeSource(volume: Volume, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const errors = validateEmptyDir(volume, path);
  let found = volume.emptyDir !== undefined;
  for (const rule of VOLUME_SOURCE_RULES) {
    if (volume[rule.field] === undefined) continue;
    if (found) errors.push(fieldForbidden(path.child(rule.repeatedAs ?? rule.field), MORE_THAN_ONE));
    else errors.push(...validateFoundSource(rule, volume, rules, path));
    if (rule.field === 'iscsi') errors.push(...validateISCSIName(volume, path));
    found = true;
  }
  if (!found) errors.push(fieldRequired(path, 'must specify a volume type'));
  return errors;
}

function validateFoundSource(
  rule: VolumeSourceRule,
  volume: Volume,
  rules: PodSpecRules,
  path: FieldPath,
): FieldError[] {
  const errors = [...rule.validate(volume, rules, path.child(rule.namedAs ?? rule.field))];
  return rule.field === 'ephemeral' ? [...errors, ...validateEphemeralClaimName(volume, rules, path)] : errors;
}

function validateEmptyDir({ emptyDir }: Volume, path: FieldPath): FieldError[] {
  const sizeLimit = emptyDir?.sizeLimit;
  if (sizeLimit === undefined || Quantity.parse(sizeLimit).sign >= 0) return [];
  return [fieldForbidden(path.child('emptyDir', 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')];
}

function validateISCSIName({ name, iscsi }: Volume, path: FieldPath): FieldError[] {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= 64) return [];
  const message =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [fieldInvalid(path.child('name'), name, message)];
}

/** The claim of an ephemeral volume is named after the pod and the volume. */
function validateEphemeralClaimName({ name }: Volume, { podMeta }: PodSpecRules, path: FieldPath): FieldError[] {
  if (!podMeta?.name || !name) return [];
  const claim = `${podMeta.name}-${name}`;
  return nameIsDNSSubdomain(claim).map((fault) =>
    fieldInvalid(path.child('name'), name, `PVC name ${quote(claim)}: ${fault}`),
  );
}
