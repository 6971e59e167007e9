import type { LeaseCandidate, LeaseCandidateSpec } from '@apiserver/api/coordination/v1beta1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import {
  isConfigMapKey,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery/validation';
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '@apiserver/apimachinery/values';
import { OLDEST_EMULATION_VERSION, validateCoordinatedStrategy } from '../coordinated-strategy.js';

const SPEC = FieldPath.of('spec');
const LEASE_NAME = SPEC.child('leaseName');
const BINARY_VERSION = SPEC.child('binaryVersion');
const EMULATION_VERSION = SPEC.child('emulationVersion');
const STRATEGY = SPEC.child('strategy');

/** Stands for a missing or invalid version in comparisons, as upstream. */
const ZERO: SemanticVersion = { major: 0n, minor: 0n, patch: 0n, prerelease: '', build: '' };

/** Upstream: ValidateLeaseCandidate of pkg/apis/coordination/validation/validation.go */
export function validateLeaseCandidate({ metadata, spec }: LeaseCandidate): readonly FieldError[] {
  return [
    // The rules of any kind: unlike other built-in kinds, a LeaseCandidate may have any finalizer.
    ...validateObjectMeta(metadata, { namespaced: true, validateName: isConfigMapKey }),
    ...validateSpec(spec),
  ];
}

/** Upstream: ValidateLeaseCandidateUpdate */
export function validateLeaseCandidateUpdate(
  { metadata, spec }: LeaseCandidate,
  old: LeaseCandidate,
): readonly FieldError[] {
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec),
    ...validateImmutableField(spec.leaseName, old.spec.leaseName, LEASE_NAME),
  ];
}

/** Upstream: ValidateLeaseCandidateSpec */
function validateSpec({ leaseName, binaryVersion, emulationVersion = '', strategy = '' }: LeaseCandidateSpec) {
  const emulated = parsed(emulationVersion);
  const binary = parsed(binaryVersion);
  const isOlder = compareSemanticVersions(binary ?? ZERO, emulated ?? ZERO) < 0;
  const errors: FieldError[] = [];
  if (leaseName === '') errors.push(fieldRequired(LEASE_NAME, ''));
  if (emulationVersion !== '' && emulated === undefined) errors.push(notSemantic(EMULATION_VERSION, emulationVersion));
  if (binaryVersion === '') errors.push(fieldRequired(BINARY_VERSION, ''));
  else if (binary === undefined) errors.push(notSemantic(BINARY_VERSION, binaryVersion));
  if (binaryVersion !== '' && emulationVersion !== '' && isOlder) {
    const fault = 'must be greater than or equal to `emulationVersion`';
    errors.push(fieldInvalid(BINARY_VERSION, binaryVersion, fault));
  }
  if (strategy === '') return [...errors, fieldRequired(STRATEGY, '')];
  if (strategy === OLDEST_EMULATION_VERSION && compareSemanticVersions(emulated ?? ZERO, ZERO) === 0) {
    const fault = "must be specified when `strategy` is 'OldestEmulationVersion'";
    errors.push(fieldRequired(EMULATION_VERSION, fault));
  }
  return [...errors, ...validateCoordinatedStrategy(strategy, STRATEGY)];
}

function notSemantic(path: FieldPath, version: string): FieldError {
  return fieldInvalid(path, version, 'must be a valid semantic version');
}

function parsed(version: string): SemanticVersion | undefined {
  try {
    return parseSemanticVersion(version);
  } catch {
    return undefined;
  }
}
