import type { CertificateSigningRequest } from '@apiserver/api/certificates/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { isAuthorizedForSigner } from '@apiserver/resource-kit';
import { admittedObject, storedObject } from '../admitted-object.js';
import { isResource } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';

const REQUESTS = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };

type Dependencies = Pick<AdmissionPluginDependencies, 'authorizer'>;

/**
 * Requires the "approve" permission on the signer for approving or denying a request.
 * Upstream: plugin/pkg/admission/certificates/approval
 */
export function certificateApproval(dependencies: Dependencies): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: (operation, { resource, subresource }) =>
      operation === 'UPDATE' && subresource === 'approval' && isResource(resource, REQUESTS),
    validate: (attributes) => checkSigner(attributes, 'approve', dependencies),
  };
}

/**
 * Requires the "sign" permission on the signer for setting a request's certificate.
 * Upstream: plugin/pkg/admission/certificates/signing
 */
export function certificateSigning(dependencies: Dependencies): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: (operation, { resource, subresource }) =>
      operation === 'UPDATE' && subresource === 'status' && isResource(resource, REQUESTS),
    validate(attributes) {
      const { status } = admittedObject<CertificateSigningRequest>(attributes);
      const old = storedObject<CertificateSigningRequest>(attributes)?.status ?? {};
      const isSame = (status.certificate ?? '') === (old.certificate ?? '');
      if (isSame && equalJson(status.conditions ?? [], old.conditions ?? [])) return;
      return checkSigner(attributes, 'sign', dependencies);
    },
  };
}

async function checkSigner(attributes: AdmissionAttributes, verb: string, dependencies: Dependencies): Promise<void> {
  const signerName = storedObject<CertificateSigningRequest>(attributes)?.spec.signerName ?? '';
  if (await isAuthorizedForSigner(attributes, verb, signerName, dependencies.authorizer)) return;
  const fault = `user not permitted to ${verb} requests with signerName ${quote(signerName)}`;
  throw newAdmissionForbidden(attributes, fault);
}
