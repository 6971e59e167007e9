import { Buffer } from 'node:buffer';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { Handler } from '@apiserver/apiserver-contracts';
import { JWKS_PATH, OPEN_ID_CONFIGURATION_PATH, type OpenIdMetadata, openIdMetadata } from '@apiserver/authentication';
import { externalAddress, type GenericServer } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/**
 * Serves the keys that verify tokens, if other programs can reach the issuer.
 * Upstream: pkg/routes/openidmetadata.go
 */
export function installOpenIdMetadata(
  { nonGoRestfulMux }: GenericServer,
  { generic, serviceAccounts: { issuer, jwksUri, keys } }: CompletedKubeApiServerConfig,
): void {
  try {
    openIdMetadata({ issuer, jwksUri, keys, externalAddress: 'localhost' });
  } catch (error) {
    const reason = messageOf(error);
    generic.logger.warning(
      'Could not construct pre-rendered responses for ServiceAccountIssuerDiscovery endpoints. Endpoints will not be enabled.',
      { issuer, reason },
    );
    return;
  }
  let made: Promise<OpenIdMetadata> | undefined;
  const metadata = () => {
    made ??= generic.signals.listening.signaled.then(({ port }) => {
      const address = externalAddress(generic.externalAddress, port);
      return openIdMetadata({ issuer, jwksUri, keys, externalAddress: address });
    });
    return made;
  };
  nonGoRestfulMux.handle(
    OPEN_ID_CONFIGURATION_PATH,
    document('application/json', async () => (await metadata()).configuration),
  );
  nonGoRestfulMux.handle(
    JWKS_PATH,
    document('application/jwk-set+json', async () => (await metadata()).keySet),
  );
}

/** Upstream allows caching for an hour. */
function document(contentType: string, text: () => Promise<string>): Handler {
  return async ({ request, responseHeaders }) => {
    if (request.method !== 'GET') return { type: 'bytes', status: 405, body: Buffer.from('405: Method Not Allowed') };
    responseHeaders.set('content-type', contentType);
    responseHeaders.set('cache-control', 'public, max-age=3600');
    return { type: 'bytes', status: 200, body: Buffer.from(await text()) };
  };
}
