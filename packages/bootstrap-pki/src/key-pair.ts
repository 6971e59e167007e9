import type { KeyObject } from 'node:crypto';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  orStartupError,
  readRequiredFile,
  StartupError,
  writeFileAtomically,
  writeFileDurably,
} from '@apiserver/component-base/process';

/** A certificate and its private key, as PEM. `certificate` is a chain when intermediates were given, leaf first. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The two files of a pair. */
export interface KeyPairFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** `DIR/NAME.crt` and `DIR/NAME.key`. */
export function keyPairFiles(directory: string, name: string): KeyPairFiles {
  return { certificateFile: join(directory, `${name}.crt`), keyFile: join(directory, `${name}.key`) };
}

/** A new key on P-256: half the cost of RSA per new connection, and made in a millisecond. */
export function generateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/**
 * As PEM, EC keys in SEC1's form (`BEGIN EC PRIVATE KEY`), as kubeadm and client-go write them. Java's clients take the
 * header for the kind of key, and PKCS#8's header does not name it.
 * Upstream: k8s.io/client-go/util/keyutil.MarshalPrivateKeyToPEM; io.fabric8.kubernetes.client.Config.getKeyAlgorithm.
 */
export function keyToPem(key: KeyObject): string {
  const type = key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8';
  return key.export({ type, format: 'pem' }).toString();
}

/** Throws a StartupError that names the file. */
export function parseKey(pem: string, file: string): KeyObject {
  return orStartupError(() => createPrivateKey(pem), `${file}: not a private key in PEM form: `);
}

/** Throws a StartupError that names the file. Of a chain this is the leaf. */
export function parseCertificate(pem: string, file: string): X509Certificate {
  return orStartupError(() => new X509Certificate(pem), `${file}: not a certificate in PEM form: `);
}

/**
 * Writes a pair so that the end of the process at any moment leaves a key without certificate, never a certificate with
 * another key: the old certificate goes first, the new one comes last. A crash of the machine may leave anything.
 */
export function writeKeyPair(files: KeyPairFiles, pair: KeyPair): void {
  rmSync(files.certificateFile, { force: true });
  writeFileAtomically(files.keyFile, pair.key, 0o600);
  writeFileAtomically(files.certificateFile, pair.certificate, 0o644);
}

/** As writeKeyPair, and a crash of the machine leaves no more than the end of the process. */
export async function writeKeyPairDurably(files: KeyPairFiles, pair: KeyPair): Promise<void> {
  rmSync(files.certificateFile, { force: true });
  await writeFileDurably(files.keyFile, pair.key, 0o600);
  await writeFileDurably(files.certificateFile, pair.certificate, 0o644);
}

/**
 * A pair that the operator brought (`--tls-cert-file`, `--tls-private-key-file`). Throws a StartupError when a file is
 * missing, is no PEM, or the two do not belong together.
 */
export function readKeyPair(files: KeyPairFiles): KeyPair {
  const certificate = readRequiredFile(files.certificateFile);
  const key = readRequiredFile(files.keyFile);
  const leaf = parseCertificate(certificate, files.certificateFile);
  if (!leaf.checkPrivateKey(parseKey(key, files.keyFile))) {
    throw new StartupError(`${files.keyFile}: is not the private key of ${files.certificateFile}`);
  }
  return { certificate, key };
}
