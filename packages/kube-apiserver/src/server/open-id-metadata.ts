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
import { externalAddress, type GenericServer, installWebService } from '@apiserver/generic-server';
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
  const install = (path: string, mediaType: string, text: () => Promise<string>) => {
    const serve: Handler = async ({ responseHeaders }) => {
      responseHeaders.set('content-type', mediaType);
      responseHeaders.set('cache-control', `public, max-age=${published.maxAgeSeconds()}`);
      return { type: 'bytes', status: 200, body: Buffer.from(await text()) };
    };
    installWebService(nonGoRestfulMux, { path, mediaType, logger: generic.logger, serve });
  };
  install(OPEN_ID_CONFIGURATION_PATH, 'application/json', async () => (await metadata()).configuration);
  install(JWKS_PATH, 'application/jwk-set+json', async () => (await metadata()).keySet);
}
