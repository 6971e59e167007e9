import type { CertificateSigningRequest } from '@apiserver/api/certificates/v1';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { parseRequest } from '../certificates/parse-request.js';

/** Signers whose certificates authenticate their holder as a node. */
const NODE_SIGNERS: readonly string[] = [
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
];

/**
 * The reason why a node may not request a certificate; undefined if it may. All other checks are left to the
 * approver.
 * Upstream: admitCSR
 */
export function certificateRequestFault(attributes: AdmissionAttributes): string | undefined {
  if (attributes.operation !== 'CREATE' || attributes.subresource !== '') return undefined;
  const { spec } = admittedObject<CertificateSigningRequest>(attributes);
  if (!NODE_SIGNERS.includes(spec.signerName)) return undefined;
  const request = parseRequest(spec);
  if ('fault' in request) return `unable to parse csr: ${request.fault}`;
  const name = attributes.user?.name ?? '';
  return request.commonName === name ? undefined : `can only create a node CSR with CN=${name}`;
}
