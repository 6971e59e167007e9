import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import { inSlices } from '@apiserver/apimachinery/clock';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { bundleErrors, validateClusterTrustBundle } from './validation.js';

/** Upstream: pkg/registry/certificates/clustertrustbundle/strategy.go */
export const clusterTrustBundleStrategy: Strategy<ClusterTrustBundle> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: (_context, bundle) => validateClusterTrustBundle(bundle),
  validateUpdate: (_context, bundle) => validateClusterTrustBundle(bundle),
  validateInTurns: (_context, bundle, old) => inSlices(bundleErrors(bundle, old)),
};
