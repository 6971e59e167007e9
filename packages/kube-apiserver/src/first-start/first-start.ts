import type { Logger } from '@apiserver/apiserver-contracts';
import { ensureCertificateAuthority } from './certificate-authority.js';
import { ensureIssuedKeyPair } from './issued-key-pair.js';
import type { KeyPair, KeyPairFiles } from './key-pair.js';
import { parseCertificate, readKeyPair, readRequired } from './key-pair.js';
import { makePrivateDirectory } from './private-file.js';
import type { ServiceAccountKeyFiles } from './service-account-key.js';
import { ensureServiceAccountKey } from './service-account-key.js';
import type { ServingNames } from './serving-names.js';

export interface FirstStartOptions {
  readonly dataDirectory: string;
  readonly certificateDirectory: string;
  /** `--tls-cert-file` and `--tls-private-key-file`; else a pair is issued. */
  readonly servingFiles: KeyPairFiles | undefined;
  /** `--client-ca-file`; else the server's own CA vouches for clients. */
  readonly clientCAFile: string | undefined;
  readonly servingNames: ServingNames;
  readonly now: Date;
  readonly logger: Logger;
}

/** Keys and certificates a server runs on. */
export interface ServerIdentity {
  readonly serving: KeyPair;
  /** PEM: what a client that checks the serving certificate has to trust. */
  readonly servingTrust: string;
  /** PEM: who may vouch for clients. */
  readonly clientCA: string;
  /** An administrator's certificate, unless the operator brought a client CA that we cannot sign for. */
  readonly admin: KeyPair | undefined;
  readonly serviceAccountKey: ServiceAccountKeyFiles;
}

/** Organization whose members may do everything. */
const adminSubject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/**
 * Reads what a server needs to know who it is, and makes what is missing: data folder, certificate authority, serving
 * certificate, the administrator's certificate and the key for service account tokens.
 * What is made is only readable by its owner and used again by the next start. Throws a StartupError.
 */
export function ensureServerIdentity(options: FirstStartOptions): ServerIdentity {
  makePrivateDirectory(options.dataDirectory);
  makePrivateDirectory(options.certificateDirectory);
  const serviceAccountKey = ensureServiceAccountKey(options.certificateDirectory);
  const brought = options.servingFiles && readKeyPair(options.servingFiles);
  const clientCA = options.clientCAFile === undefined ? undefined : readClientCA(options.clientCAFile);
  if (brought && clientCA !== undefined) {
    return { serving: brought, servingTrust: brought.certificate, clientCA, admin: undefined, serviceAccountKey };
  }
  const directory = options.certificateDirectory;
  const authority = ensureCertificateAuthority(directory, options.now, options.logger);
  const serving =
    brought ??
    ensureIssuedKeyPair(
      directory,
      authority,
      {
        name: 'apiserver',
        subject: { commonName: 'kube-apiserver' },
        purpose: { type: 'server', ...options.servingNames },
      },
      options,
    );
  const admin =
    clientCA === undefined
      ? ensureIssuedKeyPair(
          directory,
          authority,
          { name: 'admin', subject: adminSubject, purpose: { type: 'client' } },
          options,
        )
      : undefined;
  return {
    serving,
    servingTrust: brought ? brought.certificate : authority.certificate,
    clientCA: clientCA ?? authority.certificate,
    admin,
    serviceAccountKey,
  };
}

function readClientCA(file: string): string {
  const text = readRequired(file);
  parseCertificate(text, file);
  return text;
}
