import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { decodeInterpreted, interpretConfiguration, strictly } from '@apiserver/component-base/configuration';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';
import { EncryptionError } from '../encryption-error.js';
import {
  type EncryptionConfiguration,
  encryptionConfigurationKinds,
  type KmsConfiguration,
  type ProviderConfiguration,
} from './encryption-configuration.js';
import { otherKindFault, outlineOf } from './interpret-kind.js';
import { validateConfiguration } from './validate-configuration.js';

/** The scheme's name in a build without paths. Upstream: runtime.NewScheme, naming.GetNameFromCallsite */
const SCHEME = 'pkg/server/options/encryptionconfig/config.go:142';
const DEFAULT_TIMEOUT = '3s';
const DEFAULT_CACHE_SIZE = 1000;

/** A configuration with the hash of its file. */
export interface LoadedConfiguration {
  readonly configuration: EncryptionConfiguration;
  /** `sha256:` and hexadecimal digits, of the file's bytes. */
  readonly contentHash: string;
}

/**
 * Reads, decodes, defaults and validates a file. `reload`: it may be reloaded later, for which some rules are stricter.
 * Throws an EncryptionError with upstream's messages.
 * Upstream: loadConfig of k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go
 */
export async function loadConfiguration(path: string, reload: boolean): Promise<LoadedConfiguration> {
  const bytes = await readContents(path).catch((error: Error) => {
    throw new EncryptionError(`error while loading file: ${error.message}`, error);
  });
  const configuration = withDefaults(decode(path, bytes));
  const errors: readonly FieldError[] = validateConfiguration(configuration, reload);
  if (errors.length > 0) throw new EncryptionError(aggregateFieldErrors(errors));
  return { configuration, contentHash: hashOf(bytes) };
}

/**
 * The hash of the file's current content. Throws an EncryptionError with upstream's messages. Upstream:
 * GetEncryptionConfigHash
 */
export async function contentHashOf(path: string): Promise<string> {
  return hashOf(await readContents(path, READ_WITHOUT_WAITING));
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function readContents(path: string, flag?: number): Promise<Buffer> {
  const file = `encryption provider configuration file ${quote(path)}`;
  const bytes = await readFile(path, { flag }).catch((error: Error) => {
    throw new EncryptionError(`error reading ${file}: ${goFileError('open', path, error)}`, error);
  });
  if (bytes.length === 0) throw new EncryptionError(`${file} is empty`);
  return bytes;
}

function decode(path: string, bytes: Buffer): EncryptionConfiguration {
  let other: string | undefined;
  try {
    const file = interpretConfiguration(bytes);
    other = otherKindFault(file);
    const scheme = { kinds: encryptionConfigurationKinds(), name: SCHEME };
    // Only a missing kind is printed with the file.
    if (other === undefined) {
      return strictly(decodeInterpreted<EncryptionConfiguration>(file, scheme, outlineOf(file))).object;
    }
  } catch (error) {
    const reason = messageOf(error);
    throw new EncryptionError(`error decoding encryption provider configuration file ${quote(path)}: ${reason}`);
  }
  throw new EncryptionError(other);
}

function withDefaults(configuration: EncryptionConfiguration): EncryptionConfiguration {
  const resources = (configuration.resources ?? []).map((resource) => ({
    ...resource,
    providers: (resource.providers ?? []).map(defaultedProvider),
  }));
  return { ...configuration, resources };
}

function defaultedProvider(provider: ProviderConfiguration): ProviderConfiguration {
  return provider.kms === undefined ? provider : { ...provider, kms: defaultedKms(provider.kms) };
}

/** Upstream: SetDefaults_KMSConfiguration */
function defaultedKms(kms: KmsConfiguration): KmsConfiguration {
  const apiVersion = kms.apiVersion || 'v1';
  const { cachesize = apiVersion === 'v1' ? DEFAULT_CACHE_SIZE : undefined, timeout = DEFAULT_TIMEOUT } = kms;
  return { ...kms, apiVersion, timeout, ...(cachesize === undefined ? {} : { cachesize }) };
}
