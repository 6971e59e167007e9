import type { MetricsRegistry } from '@apiserver/generic-server';
import type { Encryption, EncryptionOptions } from '@apiserver/registry-store/encryption';
import { StartupError } from '../first-start/startup-error.js';
import type { StorageOptions } from '../options/storage-options.js';

/** What encryption is opened with beside its file. */
export interface EncryptionSurroundings extends Pick<EncryptionOptions, 'clock' | 'logger'> {
  readonly registry: MetricsRegistry;
  /** This server's, which metrics name by its hash. */
  readonly serverId: string;
}

/** Opens the encryption that the flags ask for; nothing of it is loaded without. Throws a StartupError. */
export async function openEncryptionOf(
  { encryptionConfigFile: file, encryptionConfigReload: reload }: StorageOptions,
  { clock, logger, registry, serverId }: EncryptionSurroundings,
): Promise<Encryption | undefined> {
  if (file === '') return undefined;
  const { openEncryption } = await import('@apiserver/registry-store/encryption');
  const { encryptionMetrics } = await import('./encryption-metrics.js');
  const metrics = encryptionMetrics(registry, { serverId, now: () => clock.now() });
  try {
    return await openEncryption({ file, reload, clock, logger, metrics });
  } catch (error) {
    // The message has in it what led to it.
    throw error instanceof Error ? new StartupError(error.message) : error;
  }
}
