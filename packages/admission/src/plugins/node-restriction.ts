import type { TokenRequest } from '@apiserver/api/authentication/v1';
import {
  type Node,
  type PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  type Pod,
  type ServiceAccount,
} from '@apiserver/api/core/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import type { ResourceSlice } from '@apiserver/api/resource/v1';
import { formatGroupResource } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { type AdmissionAttributes, type AdmissionPlugin, nodeNameOf } from '@apiserver/apiserver-contracts';
import { equalSemantically } from '@apiserver/resource-kit';
import { admittedObject, storedObject } from '../admitted-object.js';
import { newAdmissionForbidden } from '../forbidden.js';
import { certificateRequestFault } from '../node-restriction/certificate-request.js';
import { CoreView } from '../node-restriction/core-view.js';
import { mirrorPodCreationFault } from '../node-restriction/mirror-pod-faults.js';
import { forbiddenLabelChanges } from '../node-restriction/node-labels.js';
import { checkPodCertificateRequest } from '../node-restriction/pod-certificate-request.js';
import { bindingFault, checkAudience } from '../node-restriction/token-request.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';

type Dependencies = Pick<AdmissionPluginDependencies, 'informer' | 'client' | 'authorizer' | 'features'>;

/** Checks one kind of request by a node. */
type Check = (attributes: AdmissionAttributes, nodeName: string) => Promise<void> | void;

/**
 * Restricts nodes to their own objects: Node, Lease, CSINode, resource slices and certificates, the pods that run on
 * them, and tokens and certificates for these pods.
 * Upstream: plugin/pkg/admission/noderestriction
 */
export function nodeRestriction(dependencies: Dependencies): AdmissionPlugin {
  const checks = checksOf(dependencies);
  return {
    name: 'NodeRestriction',
    handles: (operation, { resource }) => operation !== 'CONNECT' && checks.has(formatGroupResource(resource)),
    async admit(attributes) {
      const nodeName = nodeNameOf(attributes.user);
      if (nodeName === undefined) return;
      if (nodeName === '') {
        const user = quote(attributes.user?.name ?? '');
        throw newAdmissionForbidden(attributes, `could not determine node from user ${user}`);
      }
      await checks.get(formatGroupResource(attributes.resource))?.(attributes, nodeName);
    },
  };
}

function checksOf(dependencies: Dependencies): ReadonlyMap<string, Check> {
  const pods = new CoreView<Pod>(dependencies, 'pods');
  const nodes = new CoreView<Node>(dependencies, 'nodes');
  const accounts = new CoreView<ServiceAccount>(dependencies, 'serviceaccounts');
  const isEnabled = dependencies.features.enabled('PodCertificateRequest');
  const isAnyRequestAllowed = dependencies.features.enabled('AllowInsecureKubeletCertificateSigningRequests');
  return new Map<string, Check>([
    ['pods', (attributes, nodeName) => checkPod(attributes, nodeName, pods, nodes)],
    ['nodes', checkNode],
    ['persistentvolumeclaims', checkClaim],
    ['serviceaccounts', (attributes, nodeName) => checkToken(attributes, nodeName, pods, dependencies)],
    ['leases.coordination.k8s.io', checkLease],
    ['csinodes.storage.k8s.io', (attributes, nodeName) => checkOwnName(attributes, nodeName, 'CSINode')],
    ['resourceslices.resource.k8s.io', checkSlice],
    [
      'certificatesigningrequests.certificates.k8s.io',
      (attributes) => refuse(attributes, isAnyRequestAllowed ? undefined : certificateRequestFault(attributes)),
    ],
    [
      'podcertificaterequests.certificates.k8s.io',
      (attributes, nodeName) => checkPodCertificateRequest(attributes, nodeName, { pods, nodes, accounts, isEnabled }),
    ],
  ]);
}

async function checkPod(
  attributes: AdmissionAttributes,
  nodeName: string,
  pods: CoreView<Pod>,
  nodes: CoreView<Node>,
): Promise<void> {
  await Promise.all([pods.ready(attributes), nodes.ready(attributes)]);
  const { operation, subresource, namespace, name } = attributes;
  const node = `node ${quote(nodeName)}`;
  if (subresource === 'status') return checkPodStatus(attributes, nodeName);
  if (subresource === 'eviction') return checkEviction(attributes, nodeName, pods);
  if (subresource !== '') {
    const allowed = `only 'status' and 'eviction' are allowed`;
    refuse(attributes, `unexpected pod subresource ${quote(subresource)}, ${allowed}`);
  }
  if (operation === 'UPDATE') {
    refuse(attributes, `unexpected operation "UPDATE", ${node} can only create and delete mirror pods`);
  }
  if (operation === 'CREATE') {
    const uidOf = () => nodes.get('', nodeName).metadata.uid ?? '';
    return refuse(attributes, mirrorPodCreationFault(admittedObject<Pod>(attributes), nodeName, uidOf));
  }
  if (pods.get(namespace, name)?.spec.nodeName !== nodeName) {
    refuse(attributes, `${node} can only delete pods with spec.nodeName set to itself`);
  }
}

function checkEviction(attributes: AdmissionAttributes, nodeName: string, pods: CoreView<Pod>): void {
  const { operation, namespace, name, object } = attributes;
  if (operation !== 'CREATE') refuse(attributes, `unexpected operation ${operation}`);
  const podName = name || (object?.metadata.name ?? '');
  if (podName === '') refuse(attributes, 'could not determine pod from request data');
  if (pods.get(namespace, podName)?.spec.nodeName !== nodeName) {
    refuse(attributes, `node ${nodeName} can only evict pods with spec.nodeName set to itself`);
  }
}

function checkPodStatus(attributes: AdmissionAttributes, nodeName: string): void {
  const node = `node ${quote(nodeName)}`;
  if (attributes.operation !== 'UPDATE') refuse(attributes, `unexpected operation ${quote(attributes.operation)}`);
  const pod = admittedObject<Pod>(attributes);
  const old = storedObject<Pod>(attributes);
  if (old?.spec.nodeName !== nodeName) {
    refuse(attributes, `${node} can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (!same(pod.metadata.labels, old?.metadata.labels)) {
    refuse(attributes, `${node} cannot update labels through pod status`);
  }
  if (!same(pod.status?.resourceClaimStatuses, old?.status?.resourceClaimStatuses)) {
    refuse(attributes, `${node} cannot update resource claim statues`);
  }
  if (!same(pod.status?.extendedResourceClaimStatus, old?.status?.extendedResourceClaimStatus)) {
    refuse(attributes, `${node} cannot update extended resource claim status`);
  }
  const allocatable = ({ status }: Pod) => status?.nodeAllocatableResourceClaimStatuses;
  if (!same(allocatable(pod), old && allocatable(old))) {
    refuse(attributes, `${node} cannot update node allocatable resource claim statuses`);
  }
}

function checkNode(attributes: AdmissionAttributes, nodeName: string): void {
  const node = `node ${quote(nodeName)}`;
  const { name, operation } = attributes;
  if (name !== nodeName) refuse(attributes, `${node} is not allowed to modify node ${quote(name)}`);
  if (operation === 'DELETE') return;
  const { metadata, spec } = admittedObject<Node>(attributes);
  const old = storedObject<Node>(attributes);
  const labels = forbiddenLabelChanges(metadata.labels, old?.metadata.labels).join(', ');
  if (old === undefined) {
    if (spec.configSource !== undefined) {
      refuse(attributes, `${node} is not allowed to create pods with a non-nil configSource`);
    }
    refuse(attributes, labels && `${node} is not allowed to set the following labels: ${labels}`);
    return;
  }
  if (spec.configSource !== undefined && !equalJson(spec.configSource, old.spec.configSource ?? null)) {
    refuse(attributes, `${node} is not allowed to update configSource to a new non-nil configSource`);
  }
  if (!same(spec.taints, old.spec.taints)) refuse(attributes, `${node} is not allowed to modify taints`);
  if (!same(metadata.ownerReferences, old.metadata.ownerReferences)) {
    refuse(attributes, `${node} is not allowed to modify ownerReferences`);
  }
  refuse(attributes, labels && `is not allowed to modify labels: ${labels}`);
}

/** Upstream appends a diff in Go syntax to the message. */
function checkClaim(attributes: AdmissionAttributes, nodeName: string): void {
  const { operation, subresource } = attributes;
  if (subresource !== 'status') refuse(attributes, 'may only update PVC status');
  if (operation !== 'UPDATE') refuse(attributes, `unexpected operation ${quote(operation)}`);
  const claim = admittedObject<PersistentVolumeClaim>(attributes);
  const old = storedObject<PersistentVolumeClaim>(attributes);
  if (old !== undefined && isSameBesidesNodeFields(claim, old)) return;
  const allowed = 'status.quantity and status.conditions';
  refuse(attributes, `node ${quote(nodeName)} is not allowed to update fields other than ${allowed}`);
}

/** Compares the fields of claims that neither a node may change nor every write changes. */
function isSameBesidesNodeFields(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  return (
    equalSemantically(keptMetadata(claim), keptMetadata(old), ObjectMeta) &&
    equalSemantically(claim.spec, old.spec, PersistentVolumeClaimSpec) &&
    equalSemantically(keptStatus(claim), keptStatus(old), PersistentVolumeClaimStatus)
  );
}

function keptMetadata({ metadata }: PersistentVolumeClaim): object {
  const { resourceVersion: _version, managedFields: _managedFields, ...kept } = metadata;
  return kept;
}

function keptStatus({ status }: PersistentVolumeClaim): object {
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _resources,
    allocatedResourceStatuses: _statuses,
    ...kept
  } = status ?? {};
  return kept;
}

async function checkToken(
  attributes: AdmissionAttributes,
  nodeName: string,
  pods: CoreView<Pod>,
  dependencies: Dependencies,
): Promise<void> {
  if (attributes.operation !== 'CREATE' || attributes.subresource !== 'token') return;
  const request = admittedObject<TokenRequest>(attributes);
  refuse(attributes, bindingFault(request));
  await pods.ready(attributes);
  const { name = '', uid } = request.spec.boundObjectRef ?? {};
  const pod = pods.get(attributes.namespace, name);
  if (uid !== pod.metadata.uid) {
    const mismatch = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    refuse(attributes, `${mismatch}. The object might have been deleted and then recreated`);
  }
  if (pod.spec.nodeName !== nodeName) {
    refuse(attributes, 'node requested token bound to a pod scheduled on a different node');
  }
  if (!dependencies.features.enabled('ServiceAccountNodeAudienceRestriction')) return;
  await checkAudience(attributes, request, pod, dependencies);
}

function checkLease(attributes: AdmissionAttributes, nodeName: string): void {
  if (attributes.namespace !== 'kube-node-lease') {
    refuse(attributes, 'can only access leases in the "kube-node-lease" system namespace');
  }
  checkOwnName(attributes, nodeName, 'node lease');
}

function checkOwnName(attributes: AdmissionAttributes, nodeName: string, what: string): void {
  const { operation, object } = attributes;
  const name = operation === 'CREATE' ? object?.metadata.name : attributes.name;
  if (name !== nodeName) refuse(attributes, `can only access ${what} with the same name as the requesting node`);
}

/** Checks creations and deletions; the Node authorizer decides on updates and reads. */
function checkSlice(attributes: AdmissionAttributes, nodeName: string): void {
  const { operation } = attributes;
  if (operation !== 'CREATE' && operation !== 'DELETE') return;
  const isNew = operation === 'CREATE';
  const slice = isNew ? admittedObject<ResourceSlice>(attributes) : storedObject<ResourceSlice>(attributes);
  if (slice?.spec.nodeName === nodeName) return;
  const what = isNew ? 'create' : 'delete';
  refuse(attributes, `can only ${what} ResourceSlice with the same NodeName as the requesting node`);
}

/** Throws 403 for a fault; "" means none. */
function refuse(attributes: AdmissionAttributes, fault: string | undefined): void {
  if (fault) throw newAdmissionForbidden(attributes, fault);
}

/** Compares lists or maps; a missing one equals an empty one. */
function same(a: object | undefined, b: object | undefined): boolean {
  const empty = (value: object | undefined) => value === undefined || Object.keys(value).length === 0;
  return (empty(a) && empty(b)) || equalJson(a ?? {}, b ?? {});
}
