import type { PodCertificateRequest, PodCertificateRequestStatus } from '@apiserver/api/certificates/v1beta1';
import type { Column } from '@apiserver/apiserver-contracts';
import { column, describedColumn, nameColumn } from '@apiserver/resource-kit';
import { labelsText } from '../../workload/pod-columns.js';

const ofSpec = (field: string) => ['io.k8s.api.certificates.v1beta1.PodCertificateRequestSpec', field] as const;

/** Upstream: printPodCertificateRequest of pkg/printers/internalversion/printers.go */
export const podCertificateRequestColumns: readonly Column<PodCertificateRequest>[] = [
  nameColumn,
  describedColumn('PodName', ofSpec('podName'), ({ spec }) => spec.podName),
  describedColumn('ServiceAccountName', ofSpec('serviceAccountName'), ({ spec }) => spec.serviceAccountName),
  describedColumn('NodeName', ofSpec('nodeName'), ({ spec }) => spec.nodeName),
  describedColumn('SignerName', ofSpec('signerName'), ({ spec }) => spec.signerName),
  column('State', 'Is the request Pending, Issued, Denied, or Failed?', ({ status }) => stateOf(status)),
  describedColumn('UnverifiedUserAnnotations', ofSpec('unverifiedUserAnnotations'), ({ spec }) =>
    labelsText(spec.unverifiedUserAnnotations),
  ),
];

/** The last known condition, whatever its status. */
function stateOf({ conditions = [] }: PodCertificateRequestStatus): string {
  return conditions.findLast(({ type }) => ['Issued', 'Denied', 'Failed'].includes(type))?.type ?? 'Pending';
}
