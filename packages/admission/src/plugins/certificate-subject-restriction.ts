import type { CertificateSigningRequest } from '@apiserver/api/certificates/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { parseRequest } from '../certificates/parse-request.js';
import { handlesMain } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';

const SIGNER = 'kubernetes.io/kube-apiserver-client';

/**
 * Refuses client certificates for the group system:masters.
 * Upstream: plugin/pkg/admission/certificates/subjectrestriction
 */
export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    handles: handlesMain({ group: 'certificates.k8s.io', resource: 'certificatesigningrequests' }, 'CREATE'),
    validate(attributes) {
      const { spec } = admittedObject<CertificateSigningRequest>(attributes);
      if (spec.signerName !== SIGNER) return;
      const request = parseRequest(spec);
      if ('fault' in request) throw newAdmissionForbidden(attributes, `failed to parse CSR: ${request.fault}`);
      if (!request.organizations.includes('system:masters')) return;
      throw newAdmissionForbidden(attributes, `use of ${SIGNER} signer with system:masters group is not allowed`);
    },
  };
}
