import { X509Certificate } from 'node:crypto';
import type { Logger } from '@apiserver/apiserver-contracts';
import { makePrivateDirectory } from '@apiserver/component-base/process';
import { ensureCertificateAuthority, signAuthority } from './certificate-authority.js';
import { ensureIssuedKeyPair, signKeyPair } from './issued-key-pair.js';
import { generateKey, type KeyPair } from './key-pair.js';
import type { ServingNames } from './serving-names.js';

/** The trust of a server that serves kinds of its own: its authority, its certificate and an administrator's. */
export interface StandAloneIdentity {
  /** PEM of the authority of both certificates. */
  readonly authority: string;
  readonly serving: KeyPair;
  /** Of the group system:masters, whose members may do everything. */
  readonly admin: KeyPair;
}

const adminSubject = { commonName: 'admin', organizations: ['system:masters'] };
const serving = (names: ServingNames) => ({
  subject: { commonName: 'apiserver' },
  purpose: { type: 'server', ...names } as const,
});
const admin = { subject: adminSubject, purpose: { type: 'client' } } as const;

/** An identity that lasts as long as the process. */
export function newStandAloneIdentity(names: ServingNames, now: Date): StandAloneIdentity {
  const key = generateKey();
  const authority = signAuthority(key, now);
  const issuer = { key, validTo: new X509Certificate(authority).validToDate };
  return {
    authority,
    serving: signKeyPair(issuer, serving(names), now),
    admin: signKeyPair(issuer, admin, now),
  };
}

/**
 * The identity in a folder: `ca`, `apiserver` and `admin`, each as `.crt` and `.key`. Missing files are made, and those
 * about to end are renewed. Rejects with a StartupError when the folder cannot be used.
 */
export async function ensureStandAloneIdentity(
  directory: string,
  names: ServingNames,
  context: { readonly now: Date; readonly logger: Logger },
): Promise<StandAloneIdentity> {
  makePrivateDirectory(directory);
  const authority = ensureCertificateAuthority(directory, context);
  try {
    return {
      authority: authority.certificate,
      serving: ensureIssuedKeyPair(directory, authority, { name: 'apiserver', ...serving(names) }, context),
      admin: ensureIssuedKeyPair(directory, authority, { name: 'admin', ...admin }, context),
    };
  } finally {
    await authority.saved;
  }
}
