import type { CertificateSigningRequest } from '@apiserver/api/certificates/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../admitted-object.js';
import { isResource } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginParts } from '../plugin-definition.js';

const REQUESTS = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };

type Parts = Pick<AdmissionPluginParts, 'authorizer'>;

/**
 * Lets those approve or deny requests to a signer who may "approve" it.
 * Upstream: plugin/pkg/admission/certificates/approval
 */
export function certificateApproval(parts: Parts): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: (operation, { resource, subresource }) =>
      operation === 'UPDATE' && subresource === 'approval' && isResource(resource, REQUESTS),
    validate: (attributes) => checkSigner(attributes, 'approve', parts),
  };
}

/**
 * Lets those answer requests to a signer who may "sign" for it.
 * Upstream: plugin/pkg/admission/certificates/signing
 */
export function certificateSigning(parts: Parts): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: (operation, { resource, subresource }) =>
      operation === 'UPDATE' && subresource === 'status' && isResource(resource, REQUESTS),
    validate(attributes) {
      const { status } = admittedObject<CertificateSigningRequest>(attributes);
      const old = storedObject<CertificateSigningRequest>(attributes)?.status ?? {};
      const isSame = (status.certificate ?? '') === (old.certificate ?? '');
      if (isSame && equalJson(status.conditions ?? [], old.conditions ?? [])) return;
      return checkSigner(attributes, 'sign', parts);
    },
  };
}

async function checkSigner(attributes: AdmissionAttributes, verb: string, parts: Parts): Promise<void> {
  const signerName = storedObject<CertificateSigningRequest>(attributes)?.spec.signerName ?? '';
  if (await maySign(attributes, verb, signerName, parts)) return;
  const fault = `user not permitted to ${verb} requests with signerName ${quote(signerName)}`;
  throw newAdmissionForbidden(attributes, fault);
}

/** By the signer's own name, or by that of all signers of its domain. Upstream: IsAuthorizedForSignerName of pkg/registry/certificates */
async function maySign(
  { user, signal }: AdmissionAttributes,
  verb: string,
  signerName: string,
  { authorizer }: Parts,
): Promise<boolean> {
  if (user === undefined) return false;
  const [domain = ''] = signerName.split('/');
  for (const name of [signerName, `${domain}/*`]) {
    const question = {
      user,
      verb,
      readOnly: false,
      isResourceRequest: true,
      apiGroup: 'certificates.k8s.io',
      apiVersion: '*',
      namespace: '',
      resource: 'signers',
      subresource: '',
      name,
      path: '',
    };
    if ((await authorizer.authorize(question, signal)).decision === 'Allow') return true;
  }
  return false;
}
