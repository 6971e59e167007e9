import type { PolicyRule } from '../policy-objects.js';
import { nodeRules, READ_TRUST_BUNDLES } from './node-rules.js';
import type { PolicyFeatures } from './policy-features.js';
import { CORE, pathRule, READ, READ_UPDATE, READ_WRITE, rule, WRITE_EVENTS } from './rule-notation.js';

/** TokenReviews and SubjectAccessReviews, which change nothing. */
const DELEGATED_AUTH: readonly PolicyRule[] = [
  rule('create', 'authentication.k8s.io', 'tokenreviews'),
  rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
];

const controllerManagerRules: readonly PolicyRule[] = [
  WRITE_EVENTS,
  rule('create', 'coordination.k8s.io', 'leases'),
  rule('get update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
  rule('create', CORE, 'secrets serviceaccounts'),
  rule('delete', CORE, 'secrets'),
  rule('get', CORE, 'namespaces secrets serviceaccounts configmaps'),
  rule('update', CORE, 'secrets serviceaccounts'),
  ...DELEGATED_AUTH,
  rule('list watch', '*', '*'),
  rule('create', CORE, 'serviceaccounts/token'),
];

const schedulerRules: readonly PolicyRule[] = [
  WRITE_EVENTS,
  rule('create', 'coordination.k8s.io', 'leases'),
  rule('get update list watch', 'coordination.k8s.io', 'leases', 'kube-scheduler'),
  rule(READ_WRITE, 'coordination.k8s.io', 'leasecandidates'),
  rule(READ, CORE, 'nodes'),
  rule('get list watch delete', CORE, 'pods'),
  rule('create', CORE, 'pods/binding bindings'),
  rule('patch update', CORE, 'pods/status'),
  rule(READ, CORE, 'services replicationcontrollers'),
  rule(READ, ['apps', 'extensions'], 'replicasets'),
  rule(READ, 'apps', 'statefulsets'),
  rule(READ, 'policy', 'poddisruptionbudgets'),
  rule(READ, CORE, 'persistentvolumeclaims persistentvolumes'),
  ...DELEGATED_AUTH,
  rule(READ, 'storage.k8s.io', 'csinodes'),
  rule(READ, 'storage.k8s.io', 'volumeattachments'),
  rule(READ, CORE, 'namespaces'),
  rule(READ, 'storage.k8s.io', 'csidrivers'),
  rule(READ, 'storage.k8s.io', 'csistoragecapacities'),
  rule(READ, 'resource.k8s.io', 'deviceclasses'),
  rule(READ_UPDATE, 'resource.k8s.io', 'resourceclaims'),
  rule(READ_UPDATE, 'resource.k8s.io', 'resourceclaims/status'),
  rule('update', CORE, 'pods/finalizers'),
  rule(READ, 'resource.k8s.io', 'resourceslices'),
  rule('create delete', 'resource.k8s.io', 'resourceclaims'),
  rule('update patch', 'resource.k8s.io', 'resourceclaims/binding'),
];

const approver = (signer: string) => [rule('approve', 'certificates.k8s.io', 'signers', `kubernetes.io/${signer}`)];

/** Reads ClusterTrustBundles. */
export const TRUST_BUNDLE_DISCOVERY = 'system:cluster-trust-bundle-discovery';

/** Roles of cluster components by name, in order of creation. */
export function componentRoles(features: PolicyFeatures): Readonly<Record<string, readonly PolicyRule[]>> {
  return {
    ...roles,
    'system:node': nodeRules(features),
    'system:kube-scheduler': [
      ...schedulerRules,
      ...(features.deviceTaintRules ? [rule(READ, 'resource.k8s.io', 'devicetaintrules')] : []),
    ],
    ...(features.clusterTrustBundle ? { [TRUST_BUNDLE_DISCOVERY]: [READ_TRUST_BUNDLES] } : undefined),
  };
}

const roles: Readonly<Record<string, readonly PolicyRule[]>> = {
  'system:heapster': [rule(READ, CORE, 'events pods nodes namespaces'), rule(READ, 'extensions', 'deployments')],
  // The features add to it.
  'system:node': [],
  'system:node-problem-detector': [rule('get', CORE, 'nodes'), rule('patch', CORE, 'nodes/status'), WRITE_EVENTS],
  'system:node-bootstrapper': [rule('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests')],
  'system:auth-delegator': DELEGATED_AUTH,
  'system:kube-aggregator': [rule(READ, CORE, 'services endpoints')],
  'system:kube-controller-manager': controllerManagerRules,
  'system:kube-dns': [rule('list watch', CORE, 'endpoints services')],
  'system:persistent-volume-provisioner': [
    rule('get list watch create delete', CORE, 'persistentvolumes'),
    rule('get list watch update', CORE, 'persistentvolumeclaims'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('watch', CORE, 'events'),
    WRITE_EVENTS,
  ],
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': [
    rule('create', 'certificates.k8s.io', 'certificatesigningrequests/nodeclient'),
  ],
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': [
    rule('create', 'certificates.k8s.io', 'certificatesigningrequests/selfnodeclient'),
  ],
  'system:volume-scheduler': [
    rule(READ_UPDATE, CORE, 'persistentvolumes'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule(READ_UPDATE, CORE, 'persistentvolumeclaims'),
  ],
  'system:certificates.k8s.io:legacy-unknown-approver': approver('legacy-unknown'),
  'system:certificates.k8s.io:kubelet-serving-approver': approver('kubelet-serving'),
  'system:certificates.k8s.io:kube-apiserver-client-approver': approver('kube-apiserver-client'),
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': approver('kube-apiserver-client-kubelet'),
  'system:service-account-issuer-discovery': [
    pathRule(
      'get',
      '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
    ),
  ],
  'system:kubelet-api-admin': [
    rule(READ, CORE, 'nodes'),
    rule('proxy', CORE, 'nodes'),
    rule('*', CORE, 'nodes/proxy nodes/metrics nodes/stats nodes/log'),
    rule('*', CORE, 'nodes/pods nodes/healthz nodes/configz'),
  ],
  'system:node-proxier': [
    rule('list watch', CORE, 'services endpoints'),
    rule(READ, CORE, 'nodes'),
    WRITE_EVENTS,
    rule('list watch', 'networking.k8s.io', 'servicecidrs'),
    rule('list watch', 'discovery.k8s.io', 'endpointslices'),
  ],
  // The features add to it.
  'system:kube-scheduler': [],
};
