import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '@apiserver/apiserver-contracts';
import { followedFile } from './followed-text.js';
import { missingFile } from './missing-file.js';
import { newRestConfig, type RestConfig } from './rest-config.js';

/** Where a pod finds the token of its service account and the authorities of its cluster. */
const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';
/**
 * Half of the time between the kubelet's renewals, less a margin.
 * Upstream: NewCachedFileTokenSource of client-go/transport
 */
const TOKEN_FRESH_MS = 50_000;
const AUTHORITIES_FRESH_MS = 1_000;

/** The surroundings of a pod. */
export interface InClusterOptions {
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly directory?: string;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The process does not run in a pod. Upstream: rest.ErrNotInCluster */
export class NotInClusterError extends Error {
  override readonly name = 'NotInClusterError';

  constructor() {
    super(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  }
}

/**
 * The API server of the cluster that this process runs in, as the service account of its pod. Throws a
 * NotInClusterError outside of a cluster, and an Error when there is no token.
 * Upstream: InClusterConfig of k8s.io/client-go/rest
 */
export function inClusterConfig(options: InClusterOptions): RestConfig {
  const { environment = process.env, directory = SERVICE_ACCOUNT_DIRECTORY, now } = options;
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') throw new NotInClusterError();
  const tokenFile = join(directory, 'token');
  const token = missingFile(tokenFile, 'open', () => followedFile({ path: tokenFile, freshFor: TOKEN_FRESH_MS, now }));
  const ca = authoritiesOf(join(directory, 'ca.crt'), options);
  return newRestConfig({ server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`), token, ...ca });
}

/** Without them, those that Node trusts count. */
function authoritiesOf(path: string, { logger, now }: InClusterOptions) {
  try {
    return { ca: followedFile({ path, freshFor: AUTHORITIES_FRESH_MS, now }) };
  } catch (error) {
    logger.error(error, 'Expected to load root CA config', { path });
    return {};
  }
}
