import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateClusterTrustBundle, validateClusterTrustBundleUpdate } from './validation.js';

/** Upstream: pkg/registry/certificates/clustertrustbundle/strategy.go */
export const clusterTrustBundleStrategy: Strategy<ClusterTrustBundle> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: (_context, bundle) => validateClusterTrustBundle(bundle),
  validateUpdate: (_context, bundle, old) => validateClusterTrustBundleUpdate(bundle, old),
};
