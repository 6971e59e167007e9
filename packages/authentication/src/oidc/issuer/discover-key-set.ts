import { jsonTypeName } from '@apiserver/apimachinery/json';
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
  let provider: Provider;
  try {
    provider = providerOf(response.body);
  } catch (error) {
    const reason = unreadableJson(response, error);
    throw new IssuerError(`oidc: failed to decode provider discovery object: ${reason}`, { cause: error });
  }
  const { issuer: returned, keySetUrl } = provider;
  if (returned !== issuer) {
    throw new IssuerError(
      `oidc: issuer did not match the issuer returned by provider, expected ${quote(issuer)} got ${quote(returned)}`,
    );
  }
  if (keySetUrl === '') throw new IssuerError('provider did not return JWKS URL');
  return keySetUrl;
}

interface Provider {
  readonly issuer: string;
  readonly keySetUrl: string;
}

function providerOf(json: string): Provider {
  const document: unknown = JSON.parse(json);
  return { issuer: textOf(document, 'issuer'), keySetUrl: textOf(document, 'jwks_uri') };
}

/** Throws an Error in Go's words for a value of another type. */
function textOf(document: unknown, field: string): string {
  const value = Object(document)[field] ?? '';
  if (typeof value === 'string') return value;
  const type = `Go struct field providerJSON.${field} of type string`;
  throw new IssuerError(`json: cannot unmarshal ${jsonTypeName(value)} into ${type}`);
}
