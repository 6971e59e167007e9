import { readFileSync } from 'node:fs';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldErrorMessage, fieldForbidden } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import type { AuthenticationConfig } from '@apiserver/authentication';
import type { AuthenticationConfiguration } from '@apiserver/authentication/oidc';
import { StartupError } from '@apiserver/component-base/process';
import type { OidcOptions } from './oidc-options.js';

/** A configuration, and its file. */
export interface LoadedConfiguration {
  readonly configuration: AuthenticationConfiguration;
  /** Undefined for a configuration by flags. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
}

/**
 * The configuration of a file, or of flags if `path` is "". Undefined without both: then nothing of it is loaded.
 * Rejects with an Error for a file that cannot be read or decoded.
 * Upstream: ToAuthenticationConfig of pkg/kubeapiserver/options/authentication.go
 */
export async function loadAuthenticationConfig(
  path: string,
  flags: OidcOptions,
): Promise<LoadedConfiguration | undefined> {
  if (path === '') {
    const issuer = flags.configuration();
    return issuer && { configuration: { jwt: [issuer] }, file: undefined };
  }
  const { decodeAuthenticationConfiguration } = await import('@apiserver/authentication/oidc');
  try {
    const bytes = read(path);
    return { configuration: decodeAuthenticationConfiguration(bytes), file: { path, text: bytes.toString() } };
  } catch (error) {
    const reason = messageOf(error);
    throw new StartupError(`failed to load authentication configuration from file ${quote(path)}: ${reason}`, {
      cause: error,
    });
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartupError(goFileError('open', path, errorOf(error)), { cause: error });
  }
}

/** The flag about anonymous requests. */
interface AnonymousFlag {
  readonly allowed: boolean;
  /** True if the flag was given. */
  readonly isFlagSet: boolean;
}

/** The anonymous requests of a server. Throws an Error if both the file and the flag are about them. */
export function anonymousRequests(
  loaded: LoadedConfiguration | undefined,
  { allowed, isFlagSet }: AnonymousFlag,
): Pick<AuthenticationConfig, 'anonymous' | 'anonymousPaths'> {
  const configured = loaded?.configuration.anonymous;
  if (!configured) return { anonymous: allowed };
  if (isFlagSet) {
    const detail =
      '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file';
    throw new StartupError(fieldErrorMessage(fieldForbidden(FieldPath.of('anonymous'), detail)));
  }
  const paths = (configured.conditions ?? []).map(({ path = '' }) => path);
  return { anonymous: configured.enabled ?? false, anonymousPaths: paths };
}
