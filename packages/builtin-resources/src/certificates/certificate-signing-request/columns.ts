import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '@apiserver/api/certificates/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../../columns/common-columns.js';
import { humanDuration } from '../../columns/human-duration.js';

const DEFINITION = 'io.k8s.api.certificates.v1.CertificateSigningRequest';

function column(
  name: string,
  describedBy: { readonly definition: string; readonly field: string },
  cell: Column<CertificateSigningRequest>['cell'],
): Column<CertificateSigningRequest> {
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

const ofSpec = (field: string) => ({ definition: `${DEFINITION}Spec`, field });

/** Upstream: printCertificateSigningRequest of pkg/printers/internalversion/printers.go */
export const certificateSigningRequestColumns: readonly Column<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  column('SignerName', ofSpec('signerName'), ({ spec }) => spec.signerName || '<none>'),
  column('Requestor', ofSpec('request'), ({ spec }) => spec.username ?? ''),
  column('RequestedDuration', ofSpec('expirationSeconds'), ({ spec: { expirationSeconds: seconds } }) =>
    seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
  ),
  column('Condition', { definition: `${DEFINITION}Status`, field: 'conditions' }, ({ status }) => stateOf(status)),
];

/** Upstream: extractCSRStatus */
function stateOf({ conditions = [], certificate = '' }: CertificateSigningRequestStatus): string {
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}
