import {
  DURATION,
  INT32,
  list,
  OMIT_EMPTY,
  POINTER,
  STRING,
  type StructSchema,
  struct,
} from '@apiserver/apimachinery/schema';
import { type ConfigurationKind, configurationKinds } from '@apiserver/component-base/configuration';

/** A named secret, in base64. */
export interface Key {
  readonly name: string;
  readonly secret: string;
}

/** The keys of one provider; the first one writes. */
export interface KeysConfiguration {
  readonly keys: readonly Key[] | null;
}

/** A plugin that keeps the keys. */
export interface KmsConfiguration {
  readonly apiVersion?: string;
  readonly name: string;
  readonly cachesize?: number;
  readonly endpoint: string;
  /** As `3s`. */
  readonly timeout?: string;
}

/** One provider; exactly one of the fields must be set. */
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: Readonly<Record<string, never>>;
  readonly kms?: KmsConfiguration;
}

/** Resources and their providers: the first provider writes, all of them read. */
interface ResourceConfiguration {
  readonly resources: readonly string[] | null;
  readonly providers: readonly ProviderConfiguration[] | null;
}

/** The file of `--encryption-provider-config`. Upstream: k8s.io/apiserver/pkg/apis/apiserver/v1/types_encryption.go */
export interface EncryptionConfiguration {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resources: readonly ResourceConfiguration[] | null;
}

/**
 * The kinds of the file, made on demand: most servers need none. Upstream still reads the name that its documentation
 * once used.
 */
export function encryptionConfigurationKinds(): readonly ConfigurationKind[] {
  const key = type('Key', [
    ['name', STRING],
    ['secret', STRING],
  ]);
  const keys = (name: string) => type(name, [['keys', list(key)]]);
  const kms = struct('apiserver.v1.KMSConfiguration', 'v1.KMSConfiguration', () => [
    ['apiVersion', 0, STRING],
    ['name', 0, STRING],
    ['cachesize', 0, INT32, OMIT_EMPTY | POINTER],
    ['endpoint', 0, STRING],
    ['timeout', 0, DURATION, OMIT_EMPTY | POINTER],
  ]);
  const aes = keys('AESConfiguration');
  const provider = struct('apiserver.v1.ProviderConfiguration', 'v1.ProviderConfiguration', () => [
    ['aesgcm', 0, aes, OMIT_EMPTY | POINTER],
    ['aescbc', 0, aes, OMIT_EMPTY | POINTER],
    ['secretbox', 0, keys('SecretboxConfiguration'), OMIT_EMPTY | POINTER],
    ['identity', 0, type('IdentityConfiguration', []), OMIT_EMPTY | POINTER],
    ['kms', 0, kms, OMIT_EMPTY | POINTER],
  ]);
  const resource = type('ResourceConfiguration', [
    ['resources', list(STRING)],
    ['providers', list(provider)],
  ]);
  const schema = struct('apiserver.v1.EncryptionConfiguration', 'v1.EncryptionConfiguration', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['resources', 0, list(resource)],
  ]);
  return configurationKinds(schema, [
    ['apiserver.config.k8s.io', 'v1', 'EncryptionConfiguration'],
    ['', 'v1', 'EncryptionConfig'],
  ]);
}

function type(
  name: string,
  fields: readonly (readonly [name: string, schema: Parameters<typeof list>[0]])[],
): StructSchema {
  return struct(`apiserver.v1.${name}`, `v1.${name}`, () => fields.map(([field, schema]) => [field, 0, schema]));
}
