import { type CertificateSigningRequest, CertificateSigningRequestCondition } from '@apiserver/api/certificates/v1';
import { type FieldError, FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { structureDiff } from '../../text/structure-diff.js';
import { keptFaults, validateCertificateSigningRequest } from './validation.js';

const METADATA = FieldPath.of('metadata');
const CONDITIONS = FieldPath.of('status', 'conditions');
const CERTIFICATE = FieldPath.of('status', 'certificate');

/** The fields that an endpoint may change. */
interface Changes {
  readonly approval: boolean;
  readonly certificate: boolean;
}

/** Upstream: ValidateCertificateSigningRequestCreate */
export function validateNewCertificateSigningRequest(request: CertificateSigningRequest): readonly FieldError[] {
  return validateCertificateSigningRequest(request, keptFaults(request, undefined));
}

/** Upstream: ValidateCertificateSigningRequestUpdate */
export function validateCertificateSigningRequestUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): readonly FieldError[] {
  return validateUpdate(request, old, { approval: false, certificate: false });
}

/** Upstream: ValidateCertificateSigningRequestStatusUpdate */
export function validateStatusUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): readonly FieldError[] {
  return validateUpdate(request, old, { approval: false, certificate: true });
}

/** Upstream: ValidateCertificateSigningRequestApprovalUpdate */
export function validateApprovalUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): readonly FieldError[] {
  return validateUpdate(request, old, { approval: true, certificate: false });
}

function validateUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  changes: Changes,
): FieldError[] {
  return [
    ...validateCertificateSigningRequest(request, keptFaults(request, old)),
    ...['Approved', 'Denied', 'Failed'].flatMap((type) => validateNotRemoved(type, request, old)),
    ...(changes.approval ? [] : ['Approved', 'Denied'].flatMap((type) => validateNotDecided(type, request, old))),
    ...validateCertificateUpdate(request.status.certificate ?? '', old.status.certificate ?? '', changes),
    ...validateBuiltInObjectMetaUpdate(request.metadata, old.metadata, METADATA),
  ];
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
  const difference = structureDiff(printed(before), printed(now));
  return [fieldForbidden(CONDITIONS, `updates may not modify a condition of type ${quoted}\n${difference}`)];
}

function validateCertificateUpdate(certificate: string, old: string, changes: Changes): FieldError[] {
  if (certificate === old) return [];
  if (!changes.certificate) return [fieldForbidden(CERTIFICATE, 'updates may not set certificate content')];
  return old === '' ? [] : [fieldForbidden(CERTIFICATE, 'updates may not modify existing certificate content')];
}
