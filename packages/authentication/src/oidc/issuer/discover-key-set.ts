import { quote } from '@apiserver/apimachinery/text';
import type { IssuerClient } from '../http/issuer-client.js';
import { IssuerError } from '../http/issuer-error.js';
import { unreadableJson } from '../http/unreadable-json.js';

/**
 * Finds the URL of an issuer's keys by its discovery document. `discoveryUrl` is where that is, if not below the
 * issuer's own URL. Throws an Error with upstream's message.
 * Upstream: NewProvider of github.com/coreos/go-oidc/oidc.go
 */
export async function discoverKeySet(
  client: Pick<IssuerClient, 'get'>,
  issuer: string,
  discoveryUrl = '',
): Promise<string> {
  const wellKnown = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await client.get(discoveryUrl || wellKnown);
  if (response.code !== 200) throw new IssuerError(`${response.status}: ${response.body.slice(0, 1_000)}`);
  let document: unknown;
  try {
    document = JSON.parse(response.body);
  } catch (error) {
    const reason = unreadableJson(response, error);
    throw new IssuerError(`oidc: failed to decode provider discovery object: ${reason}`, { cause: error });
  }
  const { issuer: returned = '', jwks_uri: keySetUrl } = Object(document);
  if (returned !== issuer) {
    throw new IssuerError(
      `oidc: issuer did not match the issuer returned by provider, expected ${quote(issuer)} got ${quote(String(returned))}`,
    );
  }
  if (typeof keySetUrl !== 'string' || keySetUrl === '') throw new IssuerError('provider did not return JWKS URL');
  return keySetUrl;
}
