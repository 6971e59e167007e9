import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '@apiserver/api/certificates/v1';
import { humanDuration } from '@apiserver/apimachinery/values';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const DEFINITION = 'io.k8s.api.certificates.v1.CertificateSigningRequest';

const ofSpec = (field: string) => [`${DEFINITION}Spec`, field] as const;

/** Upstream: printCertificateSigningRequest of pkg/printers/internalversion/printers.go */
export const certificateSigningRequestColumns: readonly Column<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  describedColumn('SignerName', ofSpec('signerName'), ({ spec }) => spec.signerName || '<none>'),
  describedColumn('Requestor', ofSpec('request'), ({ spec }) => spec.username ?? ''),
  describedColumn('RequestedDuration', ofSpec('expirationSeconds'), ({ spec: { expirationSeconds: seconds } }) =>
    seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
  ),
  describedColumn('Condition', [`${DEFINITION}Status`, 'conditions'], ({ status }) => stateOf(status)),
];

/** Upstream: extractCSRStatus */
function stateOf({ conditions = [], certificate = '' }: CertificateSigningRequestStatus): string {
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}
