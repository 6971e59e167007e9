import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { DistinguishedName } from './certificate.js';
import { signKeyPair } from './issued-key-pair.js';
import type { KeyPair } from './key-pair.js';

/** A certificate of a user, signed by an authority that was made here; valid for a year at most. */
export function issueClientCertificate(authority: KeyPair, subject: DistinguishedName, now: Date): KeyPair {
  const issuer = {
    key: createPrivateKey(authority.key),
    validTo: new X509Certificate(authority.certificate).validToDate,
  };
  return signKeyPair(issuer, { subject, purpose: { type: 'client' } }, now);
}
