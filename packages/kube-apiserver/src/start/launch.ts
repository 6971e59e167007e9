import type { Logger } from '@apiserver/apiserver-contracts';
import type { PreparedServer, VersionInfo } from '@apiserver/generic-server';
import { createConfig, type PreparedConfig } from '../config/create-config.js';
import { writeAdminKubeconfig } from '../first-start/kubeconfig.js';
import { localHost } from '../first-start/serving-names.js';
import { StartupError } from '../first-start/startup-error.js';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { createServerChain } from '../server/create-server-chain.js';
import { completeKubeApiServerConfig } from '../server/kube-api-server-config.js';

/** A server that is ready to be used. */
export interface LaunchedServer {
  /** `https://host:port`, as it is reached from this machine. */
  readonly url: string;
  /** The administrator's; undefined when the operator's own CA vouches for clients. */
  readonly kubeconfigPath: string | undefined;
  /** What /version says. */
  readonly version: VersionInfo;
  /** Settles when the server has ended, after the signal or because it failed. */
  readonly ended: Promise<void>;
}

/** What a server is launched with, beside its options. */
export interface LaunchContext {
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** A file that the build has written: what a first start need not make. */
  readonly firstObjects?: string | undefined;
  /** Has the log written that waits for the end of the start. */
  readonly showLog?: () => void;
  /** Wraps the time from when the server listens until it is ready. */
  readonly whileHooksRun?: (hooks: () => Promise<void>) => Promise<void>;
}

/**
 * Runs a server from options that were validated, until `signal` aborts. Resolves when /readyz answers 200, and then has
 * written the administrator's kubeconfig. Throws a StartupError, or the store's KeyValueError.
 */
export async function launch(
  options: KubeApiserverOptions,
  { logger, signal, firstObjects, showLog, whileHooksRun = (hooks) => hooks() }: LaunchContext,
): Promise<LaunchedServer> {
  const prepared = await createConfig(options, { logger, firstObjects, showLog });
  const chain = createServerChain(completeKubeApiServerConfig(prepared.config));
  const server = chain.outermost.prepareServer();
  const ended = server.run(signal);
  // Whoever waits for the start hears of a failure below; who waits for the end, by the same promise.
  ended.catch(() => {});
  void server.listening.then(({ port }) => chain.listeningOn(port)).catch(() => {});
  const { port } = await listening(server, ended, options);
  const url = `https://${localHost(options.secureServing.bindAddress)}:${port}`;
  const kubeconfigPath = writeKubeconfig(options, prepared, url);
  await whileHooksRun(() => Promise.race([chain.ready, ended]));
  return { url, kubeconfigPath, version: prepared.config.generic.version, ended };
}

async function listening(server: PreparedServer, ended: Promise<void>, { secureServing }: KubeApiserverOptions) {
  try {
    return await server.listening;
  } catch (error) {
    // Its store is closed when the run has ended.
    await ended.catch(() => {});
    throw listenError(error, `${secureServing.bindAddress}:${secureServing.securePort}`);
  }
}

/** Node's error in Go's words. */
function listenError(error: unknown, address: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const text = typeof code === 'string' ? bindErrors[code] : undefined;
  if (text === undefined) return error;
  const message = `failed to create listener: failed to listen on ${address}: listen tcp ${address}: bind: ${text}`;
  return new StartupError(message, { cause: error });
}

const bindErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'cannot assign requested address',
};

function writeKubeconfig(
  { data }: KubeApiserverOptions,
  { identity }: PreparedConfig,
  server: string,
): string | undefined {
  if (identity.admin === undefined) return undefined;
  writeAdminKubeconfig(data.kubeconfigPath, {
    server,
    certificateAuthority: identity.servingTrust,
    clientCertificate: identity.admin.certificate,
    clientKey: identity.admin.key,
  });
  return data.kubeconfigPath;
}
