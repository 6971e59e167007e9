import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { EncryptionError } from '../encryption-error.js';
import {
  type EncryptionConfiguration,
  encryptionConfigurationKind,
  type KmsConfiguration,
  type ProviderConfiguration,
} from './encryption-configuration.js';
import { checkKind, interpretFile, otherKindFault } from './interpret-kind.js';
import { validateConfiguration } from './validate-configuration.js';

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
  return hashOf(await readContents(path));
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function readContents(path: string): Promise<Buffer> {
  const file = `encryption provider configuration file ${quote(path)}`;
  const bytes = await readFile(path).catch((error: Error) => {
    throw new EncryptionError(`error reading ${file}: ${goFileError('open', path, error)}`, error);
  });
  if (bytes.length === 0) throw new EncryptionError(`${file} is empty`);
  return bytes;
}

function decode(path: string, bytes: Buffer): EncryptionConfiguration {
  let other: string | undefined;
  try {
    const file = interpretFile(bytes);
    other = otherKindFault(file);
    if (other === undefined) {
      checkKind(file);
      return decodeStrictly(bytes, file.isJson);
    }
  } catch (error) {
    const reason = messageOf(error);
    throw new EncryptionError(`error decoding encryption provider configuration file ${quote(path)}: ${reason}`);
  }
  throw new EncryptionError(other);
}

function decodeStrictly(bytes: Buffer, isJson: boolean): EncryptionConfiguration {
  const kind = encryptionConfigurationKind();
  // The codec's type is for API objects; this one has no metadata.
  const codec = compileKind(kind as unknown as KindSchema) as unknown as KindCodec<EncryptionConfiguration>;
  const { object, strictErrors } = isJson ? codec.decodeJson(bytes, 'Strict') : codec.decodeYaml(bytes, 'Strict');
  if (strictErrors.length > 0) throw new EncryptionError(`strict decoding error: ${strictErrors.join(', ')}`);
  return object;
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
