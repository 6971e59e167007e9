import { NAMESPACES } from '../namespace-lookup.js';
import type { AdmissionPluginDefinition } from '../plugin-definition.js';
import { mutatingAdmissionPolicy } from '../policies/mutating/mutating-admission-policy.js';
import { validatingAdmissionPolicy } from '../policies/validating/validating-admission-policy.js';
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from '../webhooks/webhook-plugin.js';
import { alwaysAdmit, alwaysDeny } from './always.js';
import { alwaysPullImages } from './always-pull-images.js';
import { certificateApproval, certificateSigning } from './certificate-signers.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.js';
import { defaultIngressClass } from './default-class/default-ingress-class.js';
import { defaultStorageClass } from './default-class/default-storage-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { denyServiceExternalIPs } from './deny-service-external-ips.js';
import { eventRateLimit } from './event-rate-limit/event-rate-limit.js';
import { extendedResourceToleration } from './extended-resource-toleration.js';
import { imagePolicyWebhook } from './image-policy/image-policy-webhook.js';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.js';
import { limitRanger } from './limit-ranger/limit-ranger.js';
import { namespaceAutoProvision, namespaceExists } from './namespace-exists.js';
import { type NamespaceWithPhase, namespaceLifecycle } from './namespace-lifecycle.js';
import { nodeDeclaredFeatureValidator } from './node-declared-feature-validator.js';
import { nodeRestriction } from './node-restriction.js';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';
import { jobValidation } from './pod-groups/job-validation.js';
import { podGroupProtection } from './pod-groups/pod-group-protection.js';
import { podGroupWorkloadExists } from './pod-groups/pod-group-workload-exists.js';
import { podNodeSelector } from './pod-node-selector.js';
import { podResizeValidator } from './pod-resize-validator.js';
import { podSecurity } from './pod-security/pod-security.js';
import { podTolerationRestriction } from './pod-toleration-restriction.js';
import { podTopologyLabels } from './pod-topology-labels.js';
import { priority } from './priority.js';
import { resourceQuota } from './resource-quota.js';
import { runtimeClass } from './runtime-class.js';
import { serviceAccount } from './service-account/service-account.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';

type Create = AdmissionPluginDefinition['create'];

const createNamespaceLifecycle: Create = ({ client, informer, clock }) => {
  const namespaces = client.resource<NamespaceWithPhase>(NAMESPACES);
  const getNamespace = (name: string) => namespaces.get('', name);
  return namespaceLifecycle({ informer: informer<NamespaceWithPhase>(NAMESPACES), getNamespace, clock });
};

/**
 * Every plugin that upstream's kube-apiserver registers, in the order they run.
 * Upstream: AllOrderedPlugins and DefaultOffAdmissionPlugins of pkg/kubeapiserver/options/plugins.go
 */
export const orderedPlugins: readonly AdmissionPluginDefinition[] = [
  off('AlwaysAdmit', alwaysAdmit),
  off('NamespaceAutoProvision', namespaceAutoProvision),
  on('NamespaceLifecycle', createNamespaceLifecycle),
  off('NamespaceExists', namespaceExists),
  off('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology),
  on('LimitRanger', limitRanger),
  on('ServiceAccount', serviceAccount),
  off('NodeRestriction', nodeRestriction),
  on('TaintNodesByCondition', taintNodesByCondition),
  off('AlwaysPullImages', alwaysPullImages),
  off('ImagePolicyWebhook', imagePolicyWebhook),
  on('PodSecurity', podSecurity),
  off('PodNodeSelector', podNodeSelector),
  on('Priority', priority),
  on('DefaultTolerationSeconds', defaultTolerationSeconds),
  off('PodTolerationRestriction', podTolerationRestriction),
  off('EventRateLimit', eventRateLimit),
  off('ExtendedResourceToleration', extendedResourceToleration),
  on('DefaultStorageClass', defaultStorageClass),
  on('StorageObjectInUseProtection', storageObjectInUseProtection),
  on('PodGroupProtection', podGroupProtection),
  off('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement),
  on('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  on('RuntimeClass', runtimeClass),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', certificateSubjectRestriction),
  on('DefaultIngressClass', defaultIngressClass),
  off('DenyServiceExternalIPs', denyServiceExternalIPs),
  on('PodTopologyLabels', podTopologyLabels),
  on('PodGroupWorkloadExists', podGroupWorkloadExists),
  on('NodeDeclaredFeatureValidator', nodeDeclaredFeatureValidator),
  on('JobValidation', jobValidation),
  on('PodResizeValidator', podResizeValidator),
  on('MutatingAdmissionPolicy', mutatingAdmissionPolicy),
  on('MutatingAdmissionWebhook', mutatingAdmissionWebhook),
  on('ValidatingAdmissionPolicy', validatingAdmissionPolicy),
  on('ValidatingAdmissionWebhook', validatingAdmissionWebhook),
  on('ResourceQuota', resourceQuota),
  off('AlwaysDeny', alwaysDeny),
];

/** A plugin that is enabled by default; not implemented without `create`. */
function on(name: string, create?: Create): AdmissionPluginDefinition {
  return { name, defaultOn: true, ...(create && { create }) };
}

/** A plugin that is disabled by default; not implemented without `create`. */
function off(name: string, create?: Create): AdmissionPluginDefinition {
  return { name, defaultOn: false, ...(create && { create }) };
}
