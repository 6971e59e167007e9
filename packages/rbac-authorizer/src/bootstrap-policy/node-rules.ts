import type { PolicyRule } from '../policy-objects.js';
import type { PolicyFeatures } from './policy-features.js';
import { CORE, READ, rule, WRITE_EVENTS } from './rule-notation.js';

/**
 * The rules of all kubelets: those of the role system:node, which has no users by default, and of the Node authorizer.
 * Upstream: NodeRules of plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go
 */
export function nodeRules(features: PolicyFeatures = {}): readonly PolicyRule[] {
  return [
    ...RULES,
    ...(features.clusterTrustBundle ? [READ_TRUST_BUNDLES] : []),
    READ_SERVICE_ACCOUNTS,
    ...(features.podCertificateRequest ? [REQUEST_POD_CERTIFICATES] : []),
  ];
}

/** Reads ClusterTrustBundles, as all kubelets and service accounts may. */
export const READ_TRUST_BUNDLES: PolicyRule = rule(READ, 'certificates.k8s.io', 'clustertrustbundles');
const REQUEST_POD_CERTIFICATES = rule('create get list watch', 'certificates.k8s.io', 'podcertificaterequests');
const READ_SERVICE_ACCOUNTS = rule('get', CORE, 'serviceaccounts');

const RULES: readonly PolicyRule[] = [
  rule('create', 'authentication.k8s.io', 'tokenreviews'),
  rule('create', 'authorization.k8s.io', 'subjectaccessreviews localsubjectaccessreviews'),
  rule(READ, CORE, 'services'),
  rule('create get list watch', CORE, 'nodes'),
  rule('update patch', CORE, 'nodes/status'),
  rule('update patch', CORE, 'nodes'),
  WRITE_EVENTS,
  rule(READ, CORE, 'pods'),
  rule('create delete', CORE, 'pods'),
  rule('update patch', CORE, 'pods/status'),
  rule('create', CORE, 'pods/eviction'),
  rule(READ, CORE, 'secrets configmaps'),
  rule('get', CORE, 'persistentvolumeclaims persistentvolumes'),
  rule('get', CORE, 'endpoints'),
  rule('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
  rule('get create update patch delete', 'coordination.k8s.io', 'leases'),
  rule('get', 'storage.k8s.io', 'volumeattachments'),
  rule('create', CORE, 'serviceaccounts/token'),
  rule('get update patch', CORE, 'persistentvolumeclaims/status'),
  rule(READ, 'storage.k8s.io', 'csidrivers'),
  rule('get create update patch delete', 'storage.k8s.io', 'csinodes'),
  rule(READ, 'node.k8s.io', 'runtimeclasses'),
  rule('get', 'resource.k8s.io', 'resourceclaims'),
  rule('deletecollection', 'resource.k8s.io', 'resourceslices'),
];
