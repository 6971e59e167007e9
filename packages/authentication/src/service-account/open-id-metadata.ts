import type { VerificationKey } from './public-keys.js';

/** Path of the OpenID Connect discovery document. */
export const OPEN_ID_CONFIGURATION_PATH = '/.well-known/openid-configuration';
/** Path of the key set that verifies the server's tokens. */
export const JWKS_PATH = '/openid/v1/jwks';

/** The two documents, as JSON text. */
export interface OpenIdMetadata {
  readonly configuration: string;
  readonly keySet: string;
}

/** Input of the documents. */
export interface OpenIdMetadataOptions {
  readonly issuer: string;
  /** Upstream flag: --service-account-jwks-uri; "" for the path on `externalAddress`. */
  readonly jwksUri: string;
  /** Host, or host and port, under which clients reach the server. */
  readonly externalAddress: string;
  readonly keys: readonly VerificationKey[];
}

/**
 * The documents that a relying party needs to verify tokens. Throws an Error with upstream's message if the issuer is
 * unsuitable; the server then serves neither document.
 * Upstream: NewOpenIDMetadataProvider in pkg/serviceaccount/openidmetadata.go
 */
export function openIdMetadata({ issuer, jwksUri, externalAddress, keys: all }: OpenIdMetadataOptions): OpenIdMetadata {
  checkIssuer(issuer);
  const keys = all.filter(({ excludeFromDiscovery }) => excludeFromDiscovery !== true);
  const uri = jwksUri === '' ? `https://${externalAddress}${JWKS_PATH}` : jwksUri;
  if (!uri.startsWith('https:')) throw new Error(`jwksURI requires https scheme, parsed as: ${uri}`);
  if (keys.length === 0) throw new Error('no keys provided for validating keyset');
  const configuration = {
    issuer,
    jwks_uri: uri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  };
  return { configuration: JSON.stringify(configuration), keySet: JSON.stringify({ keys: keys.map(jsonWebKey) }) };
}

function checkIssuer(issuer: string): void {
  if (issuer === '') throw new Error('empty issuer URL');
  if (!/^https:/i.test(issuer)) throw new Error(`issuer URL must use https scheme, got: ${issuer}`);
  const { search, hash } = new URL(issuer);
  if (search !== '') throw new Error(`issuer URL may not include a query, got: ${issuer}`);
  if (hash !== '') throw new Error(`issuer URL may not include a fragment, got: ${issuer}`);
}

/** Has the fields in the order of go-jose. */
function jsonWebKey({ key, keyId, algorithm }: VerificationKey): Readonly<Record<string, string | undefined>> {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: keyId, crv, alg: algorithm, x, y, n, e };
}
