import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  type CertificateSigningRequestSpec,
  KeyUsage,
} from '@apiserver/api/certificates/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { certificateRequestFault } from '@apiserver/apimachinery/x509';
import { validateBuiltInObjectMeta } from '@apiserver/resource-kit';
import { validateEnum } from '../../validation/enum-field.js';
import { firstIndexes } from '../../validation/first-indexes.js';
import { validateSignerName } from '../../validation/signer-name.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const USAGES: readonly string[] = (KeyUsage.enum ?? []).map(String);
const DECISIONS: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed']);
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MIN_SECONDS = 600;

/** Faults of a stored object that an update may keep. Upstream: certificateValidationOptions */
export interface KeptFaults {
  readonly bothDecisions: boolean;
  readonly legacySigner: boolean;
  readonly duplicateConditions: boolean;
  readonly untypedConditions: boolean;
  readonly duplicateUsages: boolean;
  readonly unknownUsages: boolean;
}

const NONE: KeptFaults = {
  bothDecisions: false,
  legacySigner: false,
  duplicateConditions: false,
  untypedConditions: false,
  duplicateUsages: false,
  unknownUsages: false,
};

/** Upstream: getValidationOptions */
export function keptFaults(old: CertificateSigningRequest | undefined): KeptFaults {
  if (old === undefined) return NONE;
  const { conditions = [] } = old.status;
  const { signerName, usages = [] } = old.spec;
  const types = conditions.map(({ type }) => type);
  return {
    bothDecisions: types.includes('Approved') && types.includes('Denied'),
    legacySigner: signerName === LEGACY_SIGNER,
    duplicateConditions: new Set(types).size < types.length,
    untypedConditions: types.includes(''),
    duplicateUsages: new Set(usages).size < usages.length,
    unknownUsages: usages.some((usage) => !USAGES.includes(usage)),
  };
}

/**
 * Checks all but the issued certificate.
 * Upstream: validateCertificateSigningRequest of pkg/apis/certificates/validation/validation.go
 */
export function validateCertificateSigningRequest(
  { metadata, spec, status }: CertificateSigningRequest,
  kept: KeptFaults,
): FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName: () => [] }),
    ...validateSpec(spec, kept),
    ...validateConditions(status.conditions ?? [], kept, STATUS.child('conditions')),
  ];
}

function validateSpec(spec: CertificateSigningRequestSpec, kept: KeptFaults): FieldError[] {
  const { request, signerName, expirationSeconds } = spec;
  const fault = certificateRequestFault(Buffer.from(request ?? '', 'base64').toString('latin1'));
  const signerPath = SPEC.child('signerName');
  return [
    ...(fault === undefined ? [] : [fieldInvalid(SPEC.child('request'), request, fault)]),
    ...validateUsages(spec.usages ?? [], kept, SPEC.child('usages')),
    ...(signerName === LEGACY_SIGNER && !kept.legacySigner
      ? [fieldInvalid(signerPath, signerName, 'the legacy signerName is not allowed via this API version')]
      : validateSignerName(signerName, signerPath)),
    ...validateDuration(expirationSeconds, SPEC.child('expirationSeconds')),
  ];
}

function validateUsages(usages: readonly string[], kept: KeptFaults, path: FieldPath): FieldError[] {
  if (usages.length === 0) return [fieldRequired(path, '')];
  const first = firstIndexes(usages);
  const at = usages.map((usage, i) => ({ usage, path: path.index(i), isAgain: first.get(usage) !== i }));
  return [
    ...(kept.unknownUsages ? [] : at.flatMap(({ usage, path }) => validateEnum(usage, USAGES, path))),
    ...at
      .filter(({ isAgain }) => !kept.duplicateUsages && isAgain)
      .map(({ usage, path }) => fieldDuplicate(path, printedAsJson(usage))),
  ];
}

function validateDuration(seconds: number | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined || seconds >= MIN_SECONDS) return [];
  return [fieldInvalid(path, seconds, 'may not specify a duration less than 600 seconds (10 minutes)')];
}

function validateConditions(
  conditions: readonly CertificateSigningRequestCondition[],
  kept: KeptFaults,
  path: FieldPath,
): FieldError[] {
  const first = firstIndexes(conditions.map(({ type }) => type));
  return conditions.flatMap((condition, i) => {
    const { type } = condition;
    const at = path.index(i);
    const stoodBefore = (wanted: string) => (first.get(wanted) ?? i) < i;
    const opposite = { Approved: 'Denied', Denied: 'Approved' }[type];
    const isExcluded = !kept.bothDecisions && opposite !== undefined && stoodBefore(opposite);
    const isAgain = !kept.duplicateConditions && stoodBefore(type);
    return [
      ...(type === '' && !kept.untypedConditions ? [fieldRequired(at.child('type'), '')] : []),
      ...validateConditionStatus(condition, at.child('status')),
      ...(isExcluded ? [fieldInvalid(path, type, 'Approved and Denied conditions are mutually exclusive')] : []),
      ...(isAgain ? [fieldDuplicate(at.child('type'), printedAsJson(type))] : []),
    ];
  });
}

/** The condition of a decision must have the status True. */
function validateConditionStatus({ type, status }: CertificateSigningRequestCondition, path: FieldPath): FieldError[] {
  if (status === '') return [fieldRequired(path, '')];
  return validateEnum(status, DECISIONS.has(type) ? ['True'] : ['False', 'True', 'Unknown'], path);
}
