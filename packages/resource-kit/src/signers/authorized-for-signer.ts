import { type Authorizer, resourceAttributes, type VerbContext } from '@apiserver/apiserver-contracts';

/**
 * Reports whether the user of a request has a permission on a signer: on its own name, or on the wildcard of its
 * domain.
 * Upstream: IsAuthorizedForSignerName of pkg/certauthorization
 */
export async function isAuthorizedForSigner(
  { user, signal }: Pick<VerbContext, 'user' | 'signal'>,
  verb: string,
  signerName: string,
  authorizer: Pick<Authorizer, 'authorize'>,
): Promise<boolean> {
  if (user === undefined) return false;
  const [domain = ''] = signerName.split('/');
  for (const name of [signerName, `${domain}/*`]) {
    const signer = { apiGroup: 'certificates.k8s.io', apiVersion: '*', resource: 'signers', name };
    const { decision } = await authorizer.authorize(resourceAttributes(user, { verb, ...signer }), signal);
    if (decision === 'Allow') return true;
  }
  return false;
}
