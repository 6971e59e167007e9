import { namesGoField } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { IssuerClient } from '../http/issuer-client.js';
import { IssuerError, mistyped } from '../http/issuer-error.js';
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

/** The texts of a document, and its only list. Upstream: providerJSON of go-oidc */
const TEXTS = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
const ALGORITHMS = 'id_token_signing_alg_values_supported';

/** Throws an IssuerError in Go's words for a value of another type. Null is an absent value. */
function providerOf(json: string): Provider {
  const document: unknown = JSON.parse(json);
  const isStruct = typeof document === 'object' && !Array.isArray(document);
  if (!isStruct) throw mistyped(document, 'Go value of type oidc.providerJSON');
  const provider = { issuer: '', jwks_uri: '' };
  for (const [name, value] of Object.entries(document ?? {})) {
    if (value === null) continue;
    const member = [...TEXTS, ALGORITHMS].find((one) => namesGoField(name, one));
    const field = `Go struct field providerJSON.${member} of type`;
    if (member === ALGORITHMS) checkTexts(value, field);
    else if (member !== undefined) Object.assign(provider, { [member]: textOf(value, field) });
  }
  return { issuer: provider.issuer, keySetUrl: provider.jwks_uri };
}

function checkTexts(value: unknown, field: string): void {
  if (!Array.isArray(value)) throw mistyped(value, `${field} []string`);
  for (const item of value) if (item !== null) textOf(item, field);
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw mistyped(value, `${field} string`);
}
