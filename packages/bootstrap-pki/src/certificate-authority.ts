import type { KeyObject } from 'node:crypto';
import { X509Certificate } from 'node:crypto';
import type { Logger } from '@apiserver/apiserver-contracts';
import { readFileIfPresent, StartupError } from '@apiserver/component-base/process';
import type { DistinguishedName } from './certificate.js';
import { signCertificate } from './certificate.js';
import type { KeyPairFiles } from './key-pair.js';
import {
  generateKey,
  keyPairFiles,
  keyToPem,
  parseCertificate,
  parseKey,
  writeKeyPair,
  writeKeyPairDurably,
} from './key-pair.js';

/**
 * The authority that signs the server's own certificates. Without `key`, which an operator may take away, it signs
 * nothing new.
 */
export interface CertificateAuthority {
  readonly certificate: string;
  readonly parsed: X509Certificate;
  readonly key: KeyObject | undefined;
  readonly files: KeyPairFiles;
  /** Resolves when a crash of the machine cannot take it away any more; rejects when it cannot be written. */
  readonly saved: Promise<void>;
}

export const certificateAuthorityName: DistinguishedName = { commonName: 'kube-apiserver-ca' };

const DAY_MS = 24 * 3600 * 1000;
const LIFETIME_MS = 3650 * DAY_MS;

/** A certificate this close to its end is replaced at start: a server may well run for weeks. */
const RENEW_BEFORE_MS = 30 * DAY_MS;

/** Clocks of clients on other machines may be a little behind. */
export const BACKDATE_MS = 3600 * 1000;

/** True while `now` is inside the certificate's validity with `RENEW_BEFORE_MS` to spare. */
export function isFresh(certificate: X509Certificate, now: Date): boolean {
  return certificate.validFromDate <= now && certificate.validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS;
}

/** Dependencies of an authority. */
interface AuthorityOptions {
  readonly now: Date;
  readonly logger: Logger;
  /** Default: true. */
  readonly survivesCrash?: boolean;
}

/**
 * The CA in `directory` (`ca.crt`, `ca.key`), made if it is missing or about to end.
 * Throws a StartupError when the two files do not belong together: which one is right, only the operator knows.
 */
export function ensureCertificateAuthority(directory: string, options: AuthorityOptions): CertificateAuthority {
  const { now, logger } = options;
  const files = keyPairFiles(directory, 'ca');
  const certificate = readFileIfPresent(files.certificateFile);
  const keyText = readFileIfPresent(files.keyFile);
  const key = keyText === undefined ? undefined : parseKey(keyText, files.keyFile);
  if (certificate === undefined) return createCertificateAuthority(files, key ?? generateKey(), options);
  const parsed = parseCertificate(certificate, files.certificateFile);
  if (key !== undefined && !parsed.checkPrivateKey(key)) {
    throw new StartupError(
      `${files.keyFile}: is not the private key of ${files.certificateFile}; put the right one in place, ` +
        'or remove both files to have a new certificate authority made',
    );
  }
  if (isFresh(parsed, now)) return { certificate, parsed, key, files, saved: Promise.resolve() };
  if (key === undefined) {
    throw new StartupError(
      `${files.certificateFile}: is valid from ${parsed.validFrom} to ${parsed.validTo} and its private key is not in ${files.keyFile}; ` +
        'put a new one in place, or remove it to have a new certificate authority made',
    );
  }
  logger.warning('The certificate authority is replaced: it is not valid now or about to expire', {
    file: files.certificateFile,
    notAfter: parsed.validTo,
  });
  return createCertificateAuthority(files, key, options);
}

/** The same key may get a new certificate: what it has signed stays good. */
function createCertificateAuthority(
  files: KeyPairFiles,
  key: KeyObject,
  { now, survivesCrash = true }: AuthorityOptions,
): CertificateAuthority {
  const certificate = signAuthority(key, now);
  const pair = { certificate, key: keyToPem(key) };
  const saved = survivesCrash ? writeKeyPairDurably(files, pair) : Promise.resolve(writeKeyPair(files, pair));
  return { certificate, parsed: new X509Certificate(certificate), key, files, saved };
}

/** The certificate of an authority that has this key. */
export function signAuthority(key: KeyObject, now: Date): string {
  return signCertificate({
    subject: certificateAuthorityName,
    subjectKey: key,
    issuer: certificateAuthorityName,
    issuerKey: key,
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(now.getTime() + LIFETIME_MS),
    purpose: { type: 'ca' },
  });
}
