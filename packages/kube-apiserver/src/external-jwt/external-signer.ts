import type { TokenSigner } from '@apiserver/authentication';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import type { ServerContext } from '@apiserver/generic-server';
import { ExternalKeys } from './external-keys.js';
import { signExternally } from './sign-externally.js';
import { SignerClient } from './signer-client.js';
import { signerErrorOf } from './signer-error.js';
import { SignerMetrics } from './signer-metrics.js';

/** The shortest lifetime that a signer must support. Upstream: MinTokenAgeSec of pkg/apis/authentication/validation */
const MIN_SECONDS = 600;

/** A signer in use. */
export interface ExternalSigner {
  readonly sign: TokenSigner;
  readonly keys: ExternalKeys;
  /** The maximum lifetime of tokens in milliseconds. */
  readonly maxExpiration: number;
}

/**
 * Connects to the signer at a unix socket, and fetches its keys. Rejects with a StartupError if it does not respond as
 * it must. `maxExpiration` is the one of the flag in milliseconds, or 0.
 * Upstream: completeServiceAccountOptions of pkg/controlplane/apiserver/options; New of
 * pkg/serviceaccount/externaljwt/plugin
 */
export async function startExternalSigner(
  path: string,
  maxExpiration: number,
  { clock, logger, metrics: registry, disposables }: ServerContext,
): Promise<ExternalSigner> {
  const metrics = new SignerMetrics(registry, () => clock.now());
  const client = new SignerClient(path, clock, metrics);
  const lifetime = new AbortController();
  disposables.defer(() => {
    lifetime.abort();
    client.close();
  });
  const keys = new ExternalKeys({ client, clock, logger, metrics, signal: lifetime.signal });
  try {
    await keys.start();
    const seconds = await client.maxTokenExpirationSeconds();
    return { sign: signExternally(client, keys, metrics), keys, maxExpiration: lifetimeOf(seconds, maxExpiration) };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(signerErrorOf('while setting up external-jwt-signer', error).message, { cause: error });
  }
}

function lifetimeOf(seconds: number, wanted: number): number {
  if (seconds < MIN_SECONDS) {
    throw new StartupError(
      `max token life supported by external-jwt-signer (${seconds}s) is less than acceptable (min ${MIN_SECONDS}s)`,
    );
  }
  const supported = seconds * 1_000;
  if (wanted > supported) {
    const [longer, shorter] = [wanted, supported].map(formatGoDuration);
    throw new StartupError(
      `service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: ${longer} > ${shorter}`,
    );
  }
  return supported;
}
