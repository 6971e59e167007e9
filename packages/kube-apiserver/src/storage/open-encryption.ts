import { messageOf } from '@apiserver/apimachinery/errors';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { StartupError } from '@apiserver/component-base/process';
import type { Encryption, EncryptionOptions } from '@apiserver/registry-store/encryption';
import type { CompletedOptions } from '../options/complete-options.js';

/** Dependencies of encryption besides its file. */
export interface EncryptionDependencies extends Pick<EncryptionOptions, 'clock' | 'logger'> {
  readonly registry: MetricsRegistry;
  /** The id of this server. Metrics show its hash. */
  readonly serverId: string;
  /** Ends it. */
  readonly disposables: AsyncDisposableStack;
}

/** Opens the configured encryption. Without one, none of its code is loaded. Throws a StartupError. */
export async function openEncryptionOf(
  { encryptionConfigFile: file, encryptionConfigReload: reload }: CompletedOptions['storage'],
  { clock, logger, registry, serverId, disposables }: EncryptionDependencies,
): Promise<Encryption | undefined> {
  if (file === '') return undefined;
  const { createEncryptionMetrics, openEncryption } = await import('@apiserver/registry-store/encryption');
  const metrics = createEncryptionMetrics(registry, { serverId, now: () => clock.now() });
  try {
    return disposables.use(await openEncryption({ file, reload, clock, logger, metrics }));
  } catch (error) {
    // The message includes the cause.
    throw new StartupError(messageOf(error));
  }
}
