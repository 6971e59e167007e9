import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { type CertificateReader, certificateReader } from './certificate-reader.js';
import { DynamicFiles, type FollowingProcess } from './dynamic-files.js';

/** Options of followed certificates. */
export interface ServingContentOptions {
  /** For the log and the work queue. Default: "serving-cert", or "client-ca-bundle". */
  readonly purpose?: string;
  /** Default: each text is read again. */
  readonly reader?: CertificateReader;
}

/**
 * Follows the files of a serving certificate and its key. Throws if they cannot be read or do not match.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates/dynamic_serving_content.go
 */
export function servingContent(
  certFile: string,
  keyFile: string,
  process: FollowingProcess,
  { purpose = 'serving-cert', reader = certificateReader }: ServingContentOptions = {},
): DynamicFiles {
  const name = `${purpose}::${certFile}::${keyFile}`;
  return new DynamicFiles({
    name,
    paths: [certFile, keyFile],
    content: 'cert and key',
    verify: (contents) => verifyKeyPair(name, contents, reader),
    process,
  });
}

/**
 * Follows a file of authorities for client certificates. Throws if it cannot be read or contains none.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates/dynamic_cafile_content.go
 */
export function clientCAContent(
  file: string,
  process: FollowingProcess,
  { purpose = 'client-ca-bundle', reader }: ServingContentOptions = {},
): DynamicFiles {
  const name = `${purpose}::${file}`;
  const verify = ([bundle = '']: readonly string[]) => verifyBundle(name, bundle, reader);
  return new DynamicFiles({ name, paths: [file], content: 'CA', verify, process });
}

function verifyKeyPair(name: string, [certificate = '', key = '']: readonly string[], reader: CertificateReader): void {
  if (certificate === '' || key === '') throw new Error(`missing content for serving cert ${quote(name)}`);
  const fault = reader.keyPairFault(certificate, key);
  if (fault !== undefined) throw new Error(fault);
}

/** Throws for a bundle without an authority, or with one that cannot be read; `name` is for the message. */
export function verifyBundle(name: string, bundle: string, reader = certificateReader): void {
  if (bundle === '') throw new Error(`missing content for CA bundle ${quote(name)}`);
  const fault = bundleFault(bundle, reader);
  if (fault !== undefined) throw new Error(`error loading CA bundle for ${quote(name)}: ${fault}`);
}

function bundleFault(bundle: string, reader: CertificateReader): string | undefined {
  try {
    const isEmpty = reader.bundle(bundle).length === 0;
    return isEmpty ? 'data does not contain any valid RSA or ECDSA certificates' : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
