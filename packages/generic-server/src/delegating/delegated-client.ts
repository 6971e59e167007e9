import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import {
  inClusterConfig,
  loadKubeconfig,
  NotInClusterError,
  RestClient,
  type RestConfig,
  type RestObserver,
} from '@apiserver/rest-client';

/** The core server, and the properties of its client. */
export interface DelegatedClientOptions {
  /** `authentication` or `authorization`, for messages. */
  readonly purpose: 'authentication' | 'authorization';
  /** A file; "": the cluster that this process runs in. */
  readonly kubeconfig: string;
  /** Without a kubeconfig, a process outside of a cluster has no core server. */
  readonly isOptional: boolean;
  readonly userAgent: string;
  readonly observer: RestObserver;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A client of the core server; undefined if there is no core server and it is optional. Throws an Error for an unusable
 * configuration.
 * Upstream: getClient of the delegating options in k8s.io/apiserver/pkg/server/options
 */
export function delegatedClient(options: DelegatedClientOptions): RestClient | undefined {
  const { purpose, kubeconfig, isOptional, userAgent, observer, clock, logger } = options;
  const now = () => durationClock(clock).now();
  try {
    const config: RestConfig = kubeconfig === '' ? inClusterConfig({ logger, now }) : loadKubeconfig(kubeconfig, now);
    return new RestClient(config, { userAgent, observer, clock });
  } catch (error) {
    const message = messageOf(error);
    if (kubeconfig !== '' || !isOptional) {
      throw new Error(`failed to get delegated ${purpose} kubeconfig: ${message}`, { cause: error });
    }
    if (!(error instanceof NotInClusterError)) {
      logger.warning(`failed to read in-cluster kubeconfig for delegated ${purpose}: ${message}`);
    }
    return undefined;
  }
}
