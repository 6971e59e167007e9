import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Logger } from '@apiserver/apiserver-contracts';
import { parseCertificateBundle } from '@apiserver/authentication';
import { DynamicFiles } from './dynamic-files.js';

/**
 * Follows the files of a serving certificate and its key; `purpose` is for the log. Throws if they cannot be read or do
 * not match.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates/dynamic_serving_content.go
 */
export function servingContent(
  certFile: string,
  keyFile: string,
  logger: Logger,
  purpose = 'serving-cert',
): DynamicFiles {
  const name = `${purpose}::${certFile}::${keyFile}`;
  return new DynamicFiles({
    name,
    paths: [certFile, keyFile],
    verify: (contents) => verifyKeyPair(name, contents),
    logger,
  });
}

/**
 * Follows a file of authorities for client certificates. Throws if it cannot be read or contains none.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates/dynamic_cafile_content.go
 */
export function clientCAContent(file: string, logger: Logger): DynamicFiles {
  const name = `client-ca-bundle::${file}`;
  return new DynamicFiles({ name, paths: [file], verify: ([bundle]) => verifyBundle(name, bundle ?? ''), logger });
}

function verifyKeyPair(name: string, [certificate = '', key = '']: readonly string[]): void {
  if (certificate === '' || key === '') throw new Error(`missing content for serving cert ${JSON.stringify(name)}`);
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('tls: private key does not match public key');
  }
}

/** Throws for a bundle without an authority; `name` is for the message. */
export function verifyBundle(name: string, bundle: string): void {
  if (bundle === '') throw new Error(`missing content for CA bundle ${JSON.stringify(name)}`);
  if (parseCertificateBundle(bundle).length > 0) return;
  throw new Error(
    `error loading CA bundle for ${JSON.stringify(name)}: data does not contain any valid RSA or ECDSA certificates`,
  );
}
