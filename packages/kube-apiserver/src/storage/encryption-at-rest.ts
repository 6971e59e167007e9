import { masterLeaseStorage } from '@apiserver/controlplane';
import type { HealthCheck, PostStartHook } from '@apiserver/generic-server';
import { identityTransformer, type StorageProviderOptions } from '@apiserver/registry-store';
import type { StorageConfig } from './storage-config.js';

type Config = Pick<StorageConfig, 'encryption'>;

/** Encryption of resources, except those without an API. Undefined: none. */
export function transformersOf({ encryption }: Config): StorageProviderOptions['transformerFor'] {
  if (encryption === undefined) return undefined;
  return (resource) =>
    resource.keyPrefix === masterLeaseStorage.keyPrefix ? identityTransformer : encryption.transformerFor(resource);
}

/** Applies changes of the encryption configuration while the server runs. Upstream: maybeApplyResourceTransformers */
export function encryptionHooks({ encryption }: Config): Readonly<Record<string, PostStartHook>> {
  const follow = encryption?.follow;
  if (follow === undefined) return {};
  return { 'start-encryption-provider-config-automatic-reload': async ({ signal }) => follow(signal) };
}

/**
 * For /healthz and /readyz, but not for /livez: a restart does not repair a plugin. Upstream:
 * addHealthChecksWithoutLivez
 */
export function encryptionChecks({ encryption }: Config): readonly HealthCheck[] {
  return encryption?.checks ?? [];
}
