import { Buffer } from 'node:buffer';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { Handler } from '@apiserver/apiserver-contracts';
import {
  JWKS_PATH,
  OPEN_ID_CONFIGURATION_PATH,
  type OpenIdMetadata,
  openIdMetadata,
  type VerificationKey,
} from '@apiserver/authentication';
import { externalAddress, type GenericServer } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/**
 * Serves the keys that verify tokens, if other programs can reach the issuer.
 * Upstream: pkg/routes/openidmetadata.go
 */
export function installOpenIdMetadata(
  { nonGoRestfulMux }: GenericServer,
  { generic, serviceAccounts: { issuer, jwksUri, published } }: CompletedKubeApiServerConfig,
): void {
  try {
    openIdMetadata({ issuer, jwksUri, keys: published.all(), externalAddress: 'localhost' });
  } catch (error) {
    const reason = messageOf(error);
    generic.logger.warning(
      'Could not construct pre-rendered responses for ServiceAccountIssuerDiscovery endpoints. Endpoints will not be enabled.',
      { issuer, reason },
    );
    return;
  }
  let made: { readonly keys: readonly VerificationKey[]; readonly metadata: OpenIdMetadata } | undefined;
  const metadata = async () => {
    const { port } = await generic.signals.listening.signaled;
    const keys = published.all();
    if (made?.keys === keys) return made.metadata;
    const address = externalAddress(generic.externalAddress, port);
    made = { keys, metadata: openIdMetadata({ issuer, jwksUri, keys, externalAddress: address }) };
    return made.metadata;
  };
  const document = (contentType: string, text: () => Promise<string>) =>
    documentHandler({ contentType, text, maxAgeSeconds: () => published.maxAgeSeconds() });
  nonGoRestfulMux.handle(
    OPEN_ID_CONFIGURATION_PATH,
    document('application/json', async () => (await metadata()).configuration),
  );
  nonGoRestfulMux.handle(
    JWKS_PATH,
    document('application/jwk-set+json', async () => (await metadata()).keySet),
  );
}

interface Document {
  readonly contentType: string;
  readonly text: () => Promise<string>;
  readonly maxAgeSeconds: () => number;
}

function documentHandler({ contentType, text, maxAgeSeconds }: Document): Handler {
  return async ({ request, responseHeaders }) => {
    if (request.method !== 'GET') return { type: 'bytes', status: 405, body: Buffer.from('405: Method Not Allowed') };
    responseHeaders.set('content-type', contentType);
    responseHeaders.set('cache-control', `public, max-age=${maxAgeSeconds()}`);
    return { type: 'bytes', status: 200, body: Buffer.from(await text()) };
  };
}
