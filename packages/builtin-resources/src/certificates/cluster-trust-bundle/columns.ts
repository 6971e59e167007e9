import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import type { Column } from '@apiserver/apiserver-contracts';
import { describedColumn, nameColumn } from '@apiserver/resource-kit';

const SIGNER_NAME = ['io.k8s.api.certificates.v1beta1.ClusterTrustBundleSpec', 'signerName'] as const;

/** Upstream: printClusterTrustBundle of pkg/printers/internalversion/printers.go */
export const clusterTrustBundleColumns: readonly Column<ClusterTrustBundle>[] = [
  nameColumn,
  describedColumn('SignerName', SIGNER_NAME, ({ spec }) => spec.signerName || '<none>'),
];
