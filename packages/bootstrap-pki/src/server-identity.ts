import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Logger } from '@apiserver/apiserver-contracts';
import { makePrivateDirectory, readFileIfPresent } from '@apiserver/component-base/process';
import {
  type CertificateAuthority,
  certificateAuthorityName,
  ensureCertificateAuthority,
} from './certificate-authority.js';
import { ensureIssuedKeyPair } from './issued-key-pair.js';
import type { KeyPair, KeyPairFiles } from './key-pair.js';
import { keyPairFiles, readKeyPair } from './key-pair.js';
import type { ServiceAccountKeyFiles } from './service-account-key.js';
import { ensureServiceAccountKey } from './service-account-key.js';
import type { ServingNames } from './serving-names.js';

/** The places, names and clock of `ensureServerIdentity`. */
export interface BootstrapPkiOptions {
  readonly dataDirectory: string;
  readonly certificateDirectory: string;
  /** `--tls-cert-file` and `--tls-private-key-file`; else a pair is issued. */
  readonly servingFiles: KeyPairFiles | undefined;
  /** `--client-ca-file`; else the server's own CA vouches for clients. */
  readonly clientCAFile: string | undefined;
  /** True if `--service-account-signing-*` names a key or a signer; else a key is made. */
  readonly bringsServiceAccountKey: boolean;
  readonly servingNames: ServingNames;
  readonly now: Date;
  readonly logger: Logger;
  /** False leaves out waiting for the disk: for a folder that does not outlive the process. Default: true. */
  readonly survivesCrash?: boolean;
}

/** Keys and certificates a server runs on. */
export interface ServerIdentity {
  readonly servingFiles: KeyPairFiles;
  /** False if the operator brought the pair, by flags or in the folder. */
  readonly isServingIssued: boolean;
  /** PEM: what a client that checks the serving certificate has to trust. */
  readonly servingTrust: string;
  /** The authorities that may vouch for clients. */
  readonly clientCAFile: string;
  /** An administrator's certificate, unless the operator brought a client CA that we cannot sign for. */
  readonly admin: KeyPair | undefined;
  /** Undefined if the operator brought another one. */
  readonly serviceAccountKey: ServiceAccountKeyFiles | undefined;
}

/** Members of the organization may do everything. */
const adminSubject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
const SERVING_NAME = 'apiserver';

/**
 * Reads what a server needs to know who it is, and makes what is missing: data folder, certificate authority, serving
 * certificate, the administrator's certificate and the key for service account tokens.
 * Only the owner can read the files. The next start uses them again. Rejects with a StartupError.
 */
export async function ensureServerIdentity(options: BootstrapPkiOptions): Promise<ServerIdentity> {
  makePrivateDirectory(options.dataDirectory);
  makePrivateDirectory(options.certificateDirectory);
  const brought = readBroughtFiles(options);
  const [serviceAccountKey, certificates] = await Promise.all([
    options.bringsServiceAccountKey ? undefined : ensureServiceAccountKey(options.certificateDirectory, options),
    certificatesOf(options, brought),
  ]);
  return { ...certificates, serviceAccountKey };
}

type Certificates = Omit<ServerIdentity, 'serviceAccountKey'>;

async function certificatesOf(options: BootstrapPkiOptions, brought: BroughtFiles): Promise<Certificates> {
  const { serving, clientCAFile } = brought;
  if (serving === undefined || clientCAFile === undefined) return ensureIssued(options, brought);
  return {
    servingFiles: serving.files,
    isServingIssued: false,
    servingTrust: serving.certificate,
    clientCAFile,
    admin: undefined,
  };
}

interface BroughtFiles {
  readonly serving: { readonly files: KeyPairFiles; readonly certificate: string } | undefined;
  readonly clientCAFile: string | undefined;
}

function readBroughtFiles(options: BootstrapPkiOptions): BroughtFiles {
  const { certificateDirectory, clientCAFile } = options;
  const files = options.servingFiles ?? pairOfSomebodyElse(certificateDirectory);
  const serving = files && { files, certificate: readKeyPair(files).certificate };
  return { serving, clientCAFile };
}

/**
 * A serving pair in the folder that no CA of ours issued was put there by the operator and stays as it is.
 * Upstream: k8s.io/apiserver/pkg/server/options.SecureServingOptions.MaybeDefaultWithSelfSignedCerts
 */
function pairOfSomebodyElse(directory: string): KeyPairFiles | undefined {
  const files = keyPairFiles(directory, SERVING_NAME);
  const certificate = readFileIfPresent(files.certificateFile);
  if (certificate === undefined || !existsSync(files.keyFile)) return undefined;
  return issuerOf(certificate) === `CN=${certificateAuthorityName.commonName}` ? undefined : files;
}

/** The issuer of a certificate. An unreadable one counts as ours, so that a new one replaces it. */
function issuerOf(certificate: string): string {
  try {
    return new X509Certificate(certificate).issuer;
  } catch {
    return `CN=${certificateAuthorityName.commonName}`;
  }
}

/** The authority signs while it is being saved. */
async function ensureIssued(options: BootstrapPkiOptions, brought: BroughtFiles): Promise<Certificates> {
  const authority = ensureCertificateAuthority(options.certificateDirectory, options);
  try {
    return issuedBy(authority, options, brought);
  } finally {
    await authority.saved;
  }
}

function issuedBy(
  authority: CertificateAuthority,
  options: BootstrapPkiOptions,
  { serving, clientCAFile }: BroughtFiles,
): Certificates {
  const { certificateDirectory: directory, servingNames } = options;
  if (serving === undefined) {
    const purpose = { type: 'server', ...servingNames } as const;
    const issued = { name: SERVING_NAME, subject: { commonName: 'kube-apiserver' }, purpose };
    ensureIssuedKeyPair(directory, authority, issued, options);
  }
  const admin = { name: 'admin', subject: adminSubject, purpose: { type: 'client' } } as const;
  return {
    servingFiles: serving?.files ?? keyPairFiles(directory, SERVING_NAME),
    isServingIssued: serving === undefined,
    servingTrust: serving?.certificate ?? authority.certificate,
    clientCAFile: clientCAFile ?? authority.files.certificateFile,
    admin: clientCAFile === undefined ? ensureIssuedKeyPair(directory, authority, admin, options) : undefined,
  };
}
