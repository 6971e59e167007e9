import type { AdmissionPluginDefinition } from '../plugin-definition.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { limitRanger } from './limit-ranger.js';
import { type NamespaceWithPhase, namespaceLifecycle } from './namespace-lifecycle.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';
import { priority } from './priority.js';
import { serviceAccount } from './service-account.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';

type Create = AdmissionPluginDefinition['create'];

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

const createNamespaceLifecycle: Create = ({ client, informer, clock }) => {
  const namespaces = client.resource<NamespaceWithPhase>(NAMESPACES);
  const getNamespace = (name: string) => namespaces.get('', name);
  return namespaceLifecycle({ informer: informer<NamespaceWithPhase>(NAMESPACES), getNamespace, clock });
};

/**
 * Every plugin that kube-apiserver knows, in the order they run.
 * Upstream: AllOrderedPlugins and DefaultOffAdmissionPlugins of pkg/kubeapiserver/options/plugins.go
 */
export const orderedPlugins: readonly AdmissionPluginDefinition[] = [
  off('AlwaysAdmit'),
  off('NamespaceAutoProvision'),
  on('NamespaceLifecycle', createNamespaceLifecycle),
  off('NamespaceExists'),
  off('LimitPodHardAntiAffinityTopology'),
  on('LimitRanger', limitRanger),
  on('ServiceAccount', serviceAccount),
  off('NodeRestriction'),
  on('TaintNodesByCondition', taintNodesByCondition),
  off('AlwaysPullImages'),
  off('ImagePolicyWebhook'),
  on('PodSecurity'),
  off('PodNodeSelector'),
  on('Priority', priority),
  on('DefaultTolerationSeconds', defaultTolerationSeconds),
  off('PodTolerationRestriction'),
  off('EventRateLimit'),
  off('ExtendedResourceToleration'),
  on('DefaultStorageClass', defaultStorageClass),
  on('StorageObjectInUseProtection', storageObjectInUseProtection),
  on('PodGroupProtection'),
  off('OwnerReferencesPermissionEnforcement'),
  on('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  on('RuntimeClass'),
  on('CertificateApproval'),
  on('CertificateSigning'),
  on('ClusterTrustBundleAttest'),
  on('CertificateSubjectRestriction'),
  on('DefaultIngressClass', defaultIngressClass),
  off('DenyServiceExternalIPs'),
  on('PodTopologyLabels'),
  on('PodGroupWorkloadExists'),
  on('NodeDeclaredFeatureValidator'),
  on('JobValidation'),
  on('PodResizeValidator'),
  on('MutatingAdmissionPolicy'),
  on('MutatingAdmissionWebhook'),
  on('ValidatingAdmissionPolicy'),
  on('ValidatingAdmissionWebhook'),
  on('ResourceQuota'),
  off('AlwaysDeny'),
];

/** A plugin that runs when nothing is said of it; not built without `create`. */
function on(name: string, create?: Create): AdmissionPluginDefinition {
  return { name, defaultOn: true, ...(create && { create }) };
}

/** A plugin that runs only when it is asked for. */
function off(name: string, create?: Create): AdmissionPluginDefinition {
  return { name, defaultOn: false, ...(create && { create }) };
}
