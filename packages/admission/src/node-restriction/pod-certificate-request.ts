import type { PodCertificateRequest, PodCertificateRequestSpec } from '@apiserver/api/certificates/v1beta1';
import type { Node, Pod, ServiceAccount } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { messageOf, plainFailure } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { CoreView } from './core-view.js';
import { MIRROR_POD_ANNOTATION } from './mirror-pod-faults.js';

/** Objects that a request is compared with. */
interface Known {
  readonly pods: CoreView<Pod>;
  readonly nodes: CoreView<Node>;
  readonly accounts: CoreView<ServiceAccount>;
  /** The gate PodCertificateRequest. */
  readonly isEnabled: boolean;
}

/**
 * Limits a node to creating requests for the pods that run on it, with the identities that they have. Throws 403. An
 * object that is missing, or has another UID, may only be unknown yet: then the response is a 500, and the node tries
 * again.
 * Upstream: admitPodCertificateRequest of plugin/pkg/admission/noderestriction/admission.go
 */
export async function checkPodCertificateRequest(
  attributes: AdmissionAttributes,
  nodeName: string,
  known: Known,
): Promise<void> {
  const { operation, subresource, namespace } = attributes;
  const { pods, nodes, accounts, isEnabled } = known;
  const forbid = (fault: string) => newAdmissionForbidden(attributes, fault);
  if (!isEnabled) throw forbid('PodCertificateRequest feature gate is disabled');
  if (operation !== 'CREATE') throw forbid(`unexpected operation ${operation}`);
  if (subresource !== '') throw forbid(`unexpected subresource ${subresource}`);
  const { spec } = admittedObject<PodCertificateRequest>(attributes);
  if (spec.nodeName !== nodeName) {
    const named = `PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}`;
    throw forbid(`${named}, which is not the requesting node ${quote(nodeName)}`);
  }
  await Promise.all([nodes.ready(attributes), pods.ready(attributes), accounts.ready(attributes)]);
  checkNodeUid(spec, namespace, nodes);
  const pod = existing(pods, 'pod', namespace, spec.podName);
  const fault = podFault(spec, namespace, pod);
  if (fault !== undefined) throw forbid(fault);
  checkAccountUid(spec, namespace, accounts);
}

function checkNodeUid(spec: PodCertificateRequestSpec, namespace: string, nodes: CoreView<Node>): void {
  const uid = uidOf(existing(nodes, 'node', '', spec.nodeName));
  if (uid === spec.nodeUID) return;
  const named = `names node UID ${quote(spec.nodeUID)}, inconsistent with the running node (${quote(uid)})`;
  throw unknownYet(`${requestFor(spec, namespace)} ${named}`);
}

/** Throws 500 for another UID. */
function podFault(spec: PodCertificateRequestSpec, namespace: string, pod: Pod): string | undefined {
  const uid = uidOf(pod);
  if (uid !== spec.podUID) {
    const named = `contains pod UID (${quote(spec.podUID)}) which differs from running pod ${quote(uid)}`;
    throw unknownYet(`${requestFor(spec, namespace)} ${named}`);
  }
  const podText = `pod ${quote(`${namespace}/${spec.podName}`)}`;
  if (pod.spec.nodeName !== spec.nodeName) {
    return `${podText} is not running on node ${quote(spec.nodeName)} named in the PodCertificateRequest`;
  }
  if (pod.metadata.annotations?.[MIRROR_POD_ANNOTATION] !== undefined) return `${podText} is a mirror pod`;
  const { serviceAccountName = '' } = pod.spec;
  if (serviceAccountName === spec.serviceAccountName) return undefined;
  const named = `contains serviceAccountName (${quote(spec.serviceAccountName)})`;
  return `${requestFor(spec, namespace)} ${named} that differs from running pod (${quote(serviceAccountName)})`;
}

function checkAccountUid(spec: PodCertificateRequestSpec, namespace: string, accounts: CoreView<ServiceAccount>): void {
  const uid = uidOf(existing(accounts, 'service account', namespace, spec.serviceAccountName));
  if (uid === spec.serviceAccountUID) return;
  const named = `names service account UID ${quote(spec.serviceAccountUID)}`;
  const differs = `which differs from the running service account (${quote(uid)})`;
  throw unknownYet(`${requestFor(spec, namespace)} ${named}, ${differs}`);
}

function existing<T extends KubeObject>(view: CoreView<T>, what: string, namespace: string, name: string): T {
  try {
    return view.get(namespace, name);
  } catch (error) {
    const key = namespace === '' ? name : `${namespace}/${name}`;
    throw unknownYet(`while retrieving ${what} ${quote(key)} named in the PodCertificateRequest: ${messageOf(error)}`);
  }
}

function unknownYet(message: string) {
  return plainFailure(500, message);
}

function requestFor({ podName }: PodCertificateRequestSpec, namespace: string): string {
  return `PodCertificateRequest for pod ${quote(`${namespace}/${podName}`)}`;
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}
