import { messageOf } from '@apiserver/apimachinery/errors';
import type { FlagSet, FlagTarget } from '@apiserver/component-base/flags';
import type { AuthoritySource } from '../dynamic-certificates/authority-source.js';
import type { CertificateReader } from '../dynamic-certificates/certificate-reader.js';
import type { FollowingProcess } from '../dynamic-certificates/dynamic-files.js';
import { clientCAContent } from '../dynamic-certificates/serving-content.js';
import type { RequestHeaderOptions, RequestHeaderTrust } from './request-header-options.js';

/** Authorities that authentication trusts. */
export interface AppliedAuthentication {
  /** Undefined: client certificates are ignored. */
  readonly clientCA: AuthoritySource | undefined;
  /** Undefined: no proxy is trusted. */
  readonly requestHeader: RequestHeaderTrust | undefined;
  /** All authorities to send to clients. */
  readonly authorities: readonly AuthoritySource[];
}

/** Upstream: k8s.io/apiserver/pkg/server/options.ClientCertAuthenticationOptions */
export function addClientCAFlag(flags: FlagSet, target: FlagTarget<string>): void {
  flags.string(
    'client-ca-file',
    target,
    'PEM file of certificate authorities. A client certificate that one of them signed authenticates the user of its common name.',
  );
}

/** Undefined for "". Throws an Error when the file cannot be read or holds no certificates. */
export function loadClientCA(
  file: string,
  process: FollowingProcess,
  reader?: CertificateReader,
): AuthoritySource | undefined {
  if (file === '') return undefined;
  try {
    return clientCAContent(file, process, reader && { reader });
  } catch (error) {
    throw new Error(`unable to load client CA provider: ${messageOf(error)}`, { cause: error });
  }
}

/** Undefined without a file. Throws an Error when the file cannot be read or holds no certificates. */
export function loadRequestHeader(
  options: RequestHeaderOptions,
  process: FollowingProcess,
): RequestHeaderTrust | undefined {
  for (const warning of options.warnings()) process.logger.warning(warning);
  try {
    return options.load(process);
  } catch (error) {
    throw new Error(`unable to create request header authentication config: ${messageOf(error)}`, { cause: error });
  }
}

/** The authorities of both, clients' first. */
export function appliedAuthentication(
  clientCA: AuthoritySource | undefined,
  requestHeader: RequestHeaderTrust | undefined,
): AppliedAuthentication {
  const authorities = [clientCA, requestHeader?.authorities].filter((source) => source !== undefined);
  return { clientCA, requestHeader, authorities };
}
