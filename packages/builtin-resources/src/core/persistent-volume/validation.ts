import { posix } from 'node:path';
import {
  type NodeSelectorRequirement,
  type PersistentVolume,
  PersistentVolumeSource,
  type PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { isLabelValue, nameIsDNSSubdomain, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { printableDifference } from '../../text/printable-difference.js';
import { validateEnum } from '../../validation/enum-field.js';
import { validateAccessModes } from '../validation/access-modes.js';
import { validateNamed } from '../validation/named-reference.js';
import { validateNodeSelector } from '../validation/node-selector.js';
import { validateBasicAmount, validatePositiveAmount } from '../validation/storage-amount.js';
import { validateMountOptionsAnnotation } from './mount-options-annotation.js';
import { PERSISTENT_VOLUME_SOURCES, validatePersistentVolumeSource } from './source-validation.js';

const SPEC = FieldPath.of('spec');
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const VOLUME_MODES = ['Block', 'Filesystem'];
/** Replacements of renamed node labels, which an affinity may adopt. */
const STABLE_LABELS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** Upstream: ValidatePersistentVolume of pkg/apis/core/validation/validation.go */
export function validatePersistentVolume(volume: PersistentVolume, old?: PersistentVolume): readonly FieldError[] {
  const { metadata, spec } = volume;
  const { accessModes = [] } = spec;
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...(accessModes.length > 0 ? [] : [fieldRequired(SPEC.child('accessModes'), '')]),
    ...validateAccessModes(accessModes, SPEC.child('accessModes')),
    ...validateCapacity(spec.capacity ?? {}),
    ...(spec.persistentVolumeReclaimPolicy
      ? validateEnum(spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES, SPEC.child('persistentVolumeReclaimPolicy'))
      : []),
    ...validateNodeAffinity(spec, hasInvalidLabelValue(old)),
    ...validatePersistentVolumeSource(volume, SPEC),
    ...validateRecycling(spec),
    ...validateClasses(spec),
  ];
}

/**
 * Upstream: ValidatePersistentVolume, the rules of pkg/volume/validation, and then ValidatePersistentVolumeUpdate, which
 * calls the first again
 */
export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
  mutableAffinity: boolean,
): readonly FieldError[] {
  const valid = validatePersistentVolume(volume, old);
  return [
    ...valid,
    ...validateMountOptionsAnnotation(volume),
    ...valid,
    ...validateSourceUpdate(volume.spec, old.spec),
    ...validateImmutableField(volume.spec.volumeMode, old.spec.volumeMode, FieldPath.of('volumeMode')),
    ...(mutableAffinity ? [] : validateNodeAffinityUpdate(volume.spec, old.spec)),
    ...validateAttributesClassUpdate(volume.spec, old.spec),
  ];
}

/** Upstream: ValidatePersistentVolumeStatusUpdate */
export function validatePersistentVolumeStatusUpdate(
  { metadata }: PersistentVolume,
  old: PersistentVolume,
): readonly FieldError[] {
  const errors = validateBuiltInObjectMetaUpdate(metadata, old.metadata);
  if (!metadata.resourceVersion) errors.push(fieldRequired(FieldPath.of('resourceVersion'), ''));
  return errors;
}

function validateCapacity(capacity: Readonly<Record<string, string>>): FieldError[] {
  const path = SPEC.child('capacity');
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [fieldRequired(path, '')] : [];
  if (!names.includes('storage') || names.length > 1) {
    errors.push(fieldNotSupported(path, names.length === 0 ? null : capacity, ['storage']));
  }
  const amounts = Object.entries(capacity).flatMap(([name, amount]) => [
    ...validateBasicAmount(amount, path.key(name)),
    ...validatePositiveAmount(amount, path.key(name)),
  ]);
  return [...errors, ...amounts];
}

function validateNodeAffinity({ nodeAffinity }: PersistentVolumeSpec, allowInvalidLabelValue: boolean): FieldError[] {
  if (nodeAffinity === undefined) return [];
  const path = SPEC.child('nodeAffinity', 'required');
  if (nodeAffinity.required === undefined) return [fieldRequired(path, 'must specify required node constraints')];
  return validateNodeSelector(nodeAffinity.required, { allowInvalidLabelValue }, path);
}

function hasInvalidLabelValue(old: PersistentVolume | undefined): boolean {
  const terms = old?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) => values.some((value) => isLabelValue(value).length > 0)),
  );
}

/** Recycling deletes the contents of the volume. */
function validateRecycling({ hostPath, persistentVolumeReclaimPolicy: policy }: PersistentVolumeSpec): FieldError[] {
  if (hostPath === undefined || policy !== 'Recycle' || posix.resolve('/', hostPath.path) !== '/') return [];
  if (!hostPath.path.startsWith('/')) return [];
  const path = SPEC.child('persistentVolumeReclaimPolicy');
  return [fieldForbidden(path, "may not be 'recycle' for a hostPath mount of '/'")];
}

function validateClasses(spec: PersistentVolumeSpec): FieldError[] {
  const { storageClassName, volumeMode, volumeAttributesClassName: attributes } = spec;
  const errors = storageClassName
    ? validateNamed(storageClassName, SPEC.child('storageClassName'), nameIsDNSSubdomain)
    : [];
  if (volumeMode !== undefined) errors.push(...validateEnum(volumeMode, VOLUME_MODES, SPEC.child('volumeMode')));
  if (attributes === undefined) return errors;
  const path = SPEC.child('volumeAttributesClassName');
  if (attributes === '') errors.push(fieldRequired(path, 'an empty string is disallowed'));
  else errors.push(...validateNamed(attributes, path, nameIsDNSSubdomain));
  if (spec.csi !== undefined) return errors;
  const detail = 'has to be specified when using volumeAttributesClassName';
  return [...errors, fieldRequired(SPEC.child('csi'), detail)];
}

/** The source is immutable, except that a secret for expansion may be added. */
function validateSourceUpdate(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  const sourceOf = (from: PersistentVolumeSpec) =>
    cloneJson(Object.fromEntries(PERSISTENT_VOLUME_SOURCES.map((field) => [field, from[field] ?? null])));
  const [before, after] = [sourceOf(old), sourceOf(spec) as Pick<PersistentVolumeSpec, 'csi'>];
  if (old.csi?.controllerExpandSecretRef === undefined && old.csi) delete after.csi?.controllerExpandSecretRef;
  if (equalJson(after, before)) return [];
  const difference = printableDifference<object>(before, after, (source) => goForm(PersistentVolumeSource, source));
  const detail = `spec.persistentvolumesource is immutable after creation\n${difference}`;
  return [fieldForbidden(SPEC.child('persistentvolumesource'), detail)];
}

/** Upstream: validatePvNodeAffinity */
function validateNodeAffinityUpdate(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  if (old.nodeAffinity === undefined) return [];
  const renamed = cloneJson(old.nodeAffinity);
  const after = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  for (const [i, term] of (renamed.required?.nodeSelectorTerms ?? []).entries()) {
    follow(term.matchExpressions, after[i]?.matchExpressions);
    follow(term.matchFields, after[i]?.matchFields);
  }
  if (equalJson(renamed, spec.nodeAffinity ?? null)) return [];
  const detail = 'field is immutable, except for updating from beta label to GA';
  const printed = spec.nodeAffinity === undefined ? null : goForm(VolumeNodeAffinity, spec.nodeAffinity);
  return [fieldInvalid(FieldPath.of('nodeAffinity'), printed, detail)];
}

/** Renames labels in requirements if the new object uses the new names. Mutates. */
function follow(
  requirements: NodeSelectorRequirement[] | undefined,
  after: readonly NodeSelectorRequirement[] | undefined,
): void {
  for (const [i, requirement] of (requirements ?? []).entries()) {
    const key = after?.[i]?.key;
    if (key !== undefined && STABLE_LABELS[requirement.key] === key) requirement.key = key;
  }
}

function validateAttributesClassUpdate(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  if (old.volumeAttributesClassName === undefined || spec.volumeAttributesClassName !== undefined) return [];
  const path = SPEC.child('volumeAttributesClassName');
  return [fieldForbidden(path, 'update from non-nil value to nil is forbidden')];
}
