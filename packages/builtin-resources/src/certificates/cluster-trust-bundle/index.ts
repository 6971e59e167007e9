import { ClusterTrustBundle as ClusterTrustBundleV1alpha1 } from '@apiserver/api/certificates/v1alpha1';
import { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import { defineResource } from '@apiserver/resource-kit';
import { clusterTrustBundleColumns } from './columns.js';
import { clusterTrustBundleStrategy } from './strategy.js';

/** ClusterTrustBundles: the trust anchors of a signer. Both versions have the same fields. */
export const clusterTrustBundles = defineResource<ClusterTrustBundle>({
  versions: [
    { schema: ClusterTrustBundle },
    {
      schema: ClusterTrustBundleV1alpha1,
      toHub: (object) => ({ ...object, apiVersion: 'certificates.k8s.io/v1beta1' }),
      fromHub: (object) => ({ ...object, apiVersion: 'certificates.k8s.io/v1alpha1' }),
    },
  ],
  strategy: clusterTrustBundleStrategy,
  columns: clusterTrustBundleColumns,
  selectableFieldNames: ['spec.signerName'],
  selectableFields: ({ spec }) => ({ 'spec.signerName': spec.signerName ?? '' }),
});
