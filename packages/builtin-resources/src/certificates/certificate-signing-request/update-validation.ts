import { type CertificateSigningRequest, CertificateSigningRequestCondition } from '@apiserver/api/certificates/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { printableDifference } from '../../text/printable-difference.js';
import { certificateFault } from './certificate-fault.js';
import { keptFaults, validateCertificateSigningRequest } from './validation.js';

const CONDITIONS = FieldPath.of('status', 'conditions');
const CERTIFICATE = FieldPath.of('status', 'certificate');

/** The fields that an endpoint may change. */
export interface CertificateSigningRequestChanges {
  readonly approval: boolean;
  readonly certificate: boolean;
}

/** Upstream: ValidateCertificateSigningRequestCreate */
export function validateNewCertificateSigningRequest(request: CertificateSigningRequest): readonly FieldError[] {
  return validateCertificateSigningRequest(request, keptFaults(undefined));
}

/** The first errors of an update. Upstream: validateCertificateSigningRequestUpdate */
export function validateCertificateSigningRequestUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): readonly FieldError[] {
  return validateCertificateSigningRequest(request, keptFaults(old));
}

/** The errors behind them, in steps: a chain may have thousands of certificates. */
export function* furtherUpdateErrors(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  changes: CertificateSigningRequestChanges,
): Generator<void, readonly FieldError[]> {
  const fault = yield* newCertificateFault(request.status.certificate ?? '', old.status.certificate ?? '');
  return [
    ...(fault === undefined ? [] : [fieldInvalid(CERTIFICATE, '<certificate data>', fault)]),
    ...['Approved', 'Denied', 'Failed'].flatMap((type) => validateNotRemoved(type, request, old)),
    ...(changes.approval ? [] : ['Approved', 'Denied'].flatMap((type) => validateNotDecided(type, request, old))),
    ...validateCertificateUpdate(request.status.certificate ?? '', old.status.certificate ?? '', changes),
    ...validateBuiltInObjectMetaUpdate(request.metadata, old.metadata),
  ];
}

/** An update may keep any certificate, and change one with a fault to another one with a fault. */
function* newCertificateFault(certificate: string, old: string): Generator<void, string | undefined> {
  if (certificate === old || (yield* certificateFault(old)) !== undefined) return undefined;
  return yield* certificateFault(certificate);
}

function conditionsOf({ status }: CertificateSigningRequest, wanted: string) {
  return (status.conditions ?? []).filter(({ type }) => type === wanted);
}

function validateNotRemoved(
  type: string,
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] {
  if (conditionsOf(request, type).length >= conditionsOf(old, type).length) return [];
  return [fieldForbidden(CONDITIONS, `updates may not remove a condition of type ${quote(type)}`)];
}

/** Only the approval endpoint may change decisions. */
function validateNotDecided(
  type: string,
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] {
  const [now, before] = [conditionsOf(request, type), conditionsOf(old, type)];
  const quoted = quote(type);
  if (now.length > before.length) {
    return [fieldForbidden(CONDITIONS, `updates may not add a condition of type ${quoted}`)];
  }
  if (now.length < before.length || equalJson(now, before)) return [];
  const printed = (conditions: typeof now) =>
    conditions.map((condition) => goForm(CertificateSigningRequestCondition, condition));
  const difference = printableDifference(before, now, printed);
  return [fieldForbidden(CONDITIONS, `updates may not modify a condition of type ${quoted}\n${difference}`)];
}

function validateCertificateUpdate(
  certificate: string,
  old: string,
  changes: CertificateSigningRequestChanges,
): FieldError[] {
  if (certificate === old) return [];
  if (!changes.certificate) return [fieldForbidden(CERTIFICATE, 'updates may not set certificate content')];
  return old === '' ? [] : [fieldForbidden(CERTIFICATE, 'updates may not modify existing certificate content')];
}
