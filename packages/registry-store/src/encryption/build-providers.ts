import type { Clock } from '@apiserver/apimachinery/clock';
import { parseDuration } from '@apiserver/apimachinery/values';
import type { Logger } from '@apiserver/apiserver-contracts';
import { identityTransformer, type Transformer } from '../objects/transformer.js';
import { aesCbcTransformer } from './ciphers/aes-cbc.js';
import { aesGcmTransformer } from './ciphers/aes-gcm.js';
import { secretboxTransformer } from './ciphers/secretbox.js';
import type {
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './configuration/encryption-configuration.js';
import { EncryptionError } from './encryption-error.js';
import type { EncryptionMetrics } from './encryption-metrics.js';
import { KmsProvider } from './kms/kms-provider.js';
import { createKmsService } from './kms/kms-service.js';
import { type PrefixTransformer, prefixTransformers } from './prefix-transformers.js';

/** Dependencies of providers. */
export interface ProviderDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EncryptionMetrics;
  /** Started plugins are added; the caller closes them. */
  readonly plugins: KmsProvider[];
}

/** Makes a transformer that counts its values for a resource. */
export type Provider = (resource: string) => PrefixTransformer;

const NANOSECONDS = 1_000_000n;

/** Milliseconds. */
export function timeoutOf({ timeout = '' }: KmsConfiguration): number {
  return Number(parseDuration(timeout) / NANOSECONDS);
}

/**
 * Makes a provider from a validated configuration, after one request to its plugin. Throws with upstream's messages.
 * Upstream: prefixTransformersAndProbes of k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go
 */
export async function buildProvider(
  { aesgcm, aescbc, secretbox, kms }: ProviderConfiguration,
  dependencies: ProviderDependencies,
): Promise<Provider> {
  const { metrics, logger } = dependencies;
  const common = { metrics, logger };
  if (aesgcm !== undefined) return keyed(aesgcm, { name: 'aesgcm', what: 'AES', cipher: aesGcmTransformer, ...common });
  if (aescbc !== undefined) return keyed(aescbc, { name: 'aescbc', what: 'AES', cipher: aesCbcTransformer, ...common });
  if (secretbox !== undefined) {
    return keyed(secretbox, { name: 'secretbox', what: 'Secretbox', cipher: secretboxTransformer, ...common });
  }
  if (kms !== undefined) return await plugin(kms, dependencies);
  return () => ({ prefix: '', transformer: identityTransformer });
}

interface Keyed {
  readonly name: string;
  /** Name in messages. */
  readonly what: string;
  readonly cipher: (key: Uint8Array) => Transformer;
  readonly metrics: EncryptionMetrics;
  readonly logger: Logger;
}

function keyed({ keys }: KeysConfiguration, { name, what, cipher, metrics, logger }: Keyed): Provider {
  const transformers = (keys ?? []).map((key) => ({
    prefix: `${key.name}:`,
    transformer: cipher(Buffer.from(key.secret, 'base64')),
  }));
  const noMatch = `no matching key was found for the provided ${what} transformer`;
  return (resource) => ({
    prefix: `k8s:enc:${name}:v1:`,
    transformer: prefixTransformers({ transformers, noMatch, resource, metrics, logger }),
  });
}

/** Version 1 of the plugin protocol requires the feature gate KMSv1, which cannot be enabled here. */
async function plugin(kms: KmsConfiguration, dependencies: ProviderDependencies): Promise<Provider> {
  if (kms.apiVersion !== 'v2') {
    throw new EncryptionError(
      'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  ' +
        'Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
    );
  }
  const { clock, logger, metrics, plugins } = dependencies;
  const { name, endpoint } = kms;
  const service = createKmsService({ name, endpoint, timeout: timeoutOf(kms), clock, metrics });
  const provider = new KmsProvider({ name, service, clock, metrics, logger });
  plugins.push(provider);
  await provider.start();
  return () => ({ prefix: `k8s:enc:kms:v2:${name}:`, transformer: provider.transformer });
}
