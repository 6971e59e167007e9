import type { KeyObject } from 'node:crypto';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Logger } from '@apiserver/apiserver-contracts';
import { readFileIfPresent, StartupError, writeFileAtomically } from '@apiserver/component-base/process';
import type { CertificatePurpose, DistinguishedName } from './certificate.js';
import { addressBytes, signCertificate } from './certificate.js';
import type { CertificateAuthority } from './certificate-authority.js';
import { BACKDATE_MS, certificateAuthorityName, isFresh } from './certificate-authority.js';
import type { KeyPair, KeyPairFiles } from './key-pair.js';
import { generateKey, keyPairFiles, keyToPem, writeKeyPair } from './key-pair.js';

/** A certificate that the server's own CA issues, kept as `NAME.crt` and `NAME.key`. */
export interface IssuedCertificate {
  readonly name: string;
  readonly subject: DistinguishedName;
  readonly purpose: CertificatePurpose;
}

const LIFETIME_MS = 365 * 24 * 3600 * 1000;

/**
 * The pair in the CA's folder. Issues a new one if it is missing, half written, about to end or signed by another CA,
 * or lacks a name. Throws a StartupError if a new one is needed and the CA's key is gone.
 */
export function ensureIssuedKeyPair(
  directory: string,
  authority: CertificateAuthority,
  issued: IssuedCertificate,
  context: { readonly now: Date; readonly logger: Logger },
): KeyPair {
  const files = keyPairFiles(directory, issued.name);
  const certificate = readFileIfPresent(files.certificateFile);
  const key = readFileIfPresent(files.keyFile);
  if (certificate !== undefined && key !== undefined) {
    const complaint = whyUnusable({ certificate, key }, authority, issued, context.now);
    if (complaint === undefined) return { certificate, key: inPresentForm(files.keyFile, key) };
    context.logger.info('A certificate is made again', { file: files.certificateFile, reason: complaint });
  }
  return issue(files, authority, issued, context.now);
}

/**
 * Earlier versions wrote EC keys as PKCS#8, which some clients cannot load; the file is written again in today's form.
 */
function inPresentForm(file: string, key: string): string {
  const parsed = createPrivateKey(key);
  const present = parsed.asymmetricKeyType === 'ec' ? keyToPem(parsed) : key;
  if (present !== key) writeFileAtomically(file, present, 0o600);
  return present;
}

function issue(files: KeyPairFiles, authority: CertificateAuthority, issued: IssuedCertificate, now: Date): KeyPair {
  if (authority.key === undefined) {
    throw new StartupError(
      `${authority.files.keyFile}: is missing, and ${files.certificateFile} has to be signed with it; ` +
        `put it back, or remove ${authority.files.certificateFile} to have a new certificate authority made`,
    );
  }
  const pair = signKeyPair({ key: authority.key, validTo: authority.parsed.validToDate }, issued, now);
  // After a crash the next start checks the files, and issues another pair if they are of no use.
  writeKeyPair(files, pair);
  return pair;
}

/** A new key with a certificate for it, valid no longer than that of the authority. */
export function signKeyPair(
  authority: { readonly key: KeyObject; readonly validTo: Date },
  { subject, purpose }: Omit<IssuedCertificate, 'name'>,
  now: Date,
): KeyPair {
  const subjectKey = generateKey();
  const certificate = signCertificate({
    subject,
    subjectKey,
    purpose,
    issuer: certificateAuthorityName,
    issuerKey: authority.key,
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(Math.min(now.getTime() + LIFETIME_MS, authority.validTo.getTime())),
  });
  return { certificate, key: keyToPem(subjectKey) };
}

function whyUnusable(
  pair: KeyPair,
  authority: CertificateAuthority,
  issued: IssuedCertificate,
  now: Date,
): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pair.certificate);
  } catch {
    return 'it is not a certificate in PEM form';
  }
  if (!belongTogether(certificate, pair.key)) return 'it does not fit its private key';
  if (!certificate.verify(authority.parsed.publicKey)) return 'another certificate authority signed it';
  if (!isFresh(certificate, now)) return `it is valid from ${certificate.validFrom} to ${certificate.validTo}`;
  const missing = missingNames(certificate, issued.purpose);
  return missing.length === 0 ? undefined : `it does not name ${missing.join(', ')}`;
}

function belongTogether(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** A machine that got another address or name since the last start needs a certificate that says so. */
function missingNames(certificate: X509Certificate, purpose: CertificatePurpose): readonly string[] {
  if (purpose.type !== 'server') return [];
  const listed = (certificate.subjectAltName ?? '').split(', ');
  const dnsNames = new Set(listed.filter((entry) => entry.startsWith('DNS:')).map((entry) => entry.slice(4)));
  const addresses = new Set(
    listed.filter((entry) => entry.startsWith('IP Address:')).map((entry) => addressKey(entry.slice(11))),
  );
  return [
    ...purpose.dnsNames.filter((name) => !dnsNames.has(name)),
    ...purpose.addresses.filter((address) => !addresses.has(addressKey(address))),
  ];
}

function addressKey(address: string): string {
  return addressBytes(address).toString('hex');
}
