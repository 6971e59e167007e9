import type { Clock } from '@apiserver/apimachinery/clock';
import { codeOf, goWordsOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import { localHost, type ServerIdentity, writeAdminKubeconfig } from '@apiserver/bootstrap-pki';
import { StartupError } from '@apiserver/component-base/process';
import type { VersionInfo } from '@apiserver/component-base/version';
import { newServerContext, type PreparedServer, type ServerContext } from '@apiserver/generic-server';
import { completeKubeApiServerConfig, type KubeApiServerConfig } from '../config/kube-api-server-config.js';
import type { CompletedOptions } from '../options/complete-options.js';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { createServerChain } from '../server/create-server-chain.js';
import { type ConfigOfOptions, type PrepareConfigOptions, prepareKubeApiServerConfig } from './prepare-config.js';

/** A server that is ready to be used. */
export interface LaunchedServer {
  /** `https://host:port`, as reachable from this machine. */
  readonly url: string;
  /** The kubeconfig of the administrator. Undefined without one, or if `--client-ca-file` names an authority. */
  readonly kubeconfigPath: string | undefined;
  /** The response of /version. */
  readonly version: VersionInfo;
  /** Settles when the server has ended, after the signal or because it failed. */
  readonly ended: Promise<void>;
}

/** Dependencies of a launch besides options. */
export interface LaunchContext extends PrepareConfigOptions {
  readonly logger: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  readonly signal: AbortSignal;
  /** Changes the config before the servers are made. */
  readonly configure?: ((config: KubeApiServerConfig) => Promise<void> | void) | undefined;
  /** Default: true. */
  readonly writesKubeconfig?: boolean;
  /** Wraps the time from when the server listens until it is ready. */
  readonly whileHooksRun?: (hooks: () => Promise<void>) => Promise<void>;
}

/**
 * Runs a server from validated options, until `signal` aborts. Resolves when /readyz returns 200, and the
 * administrator's kubeconfig is written. Throws a StartupError, or the store's KeyValueError.
 */
export async function launch(
  validated: KubeApiserverOptions,
  { signal, clock, writesKubeconfig = true, whileHooksRun = (hooks) => hooks(), ...launching }: LaunchContext,
): Promise<LaunchedServer> {
  const context = newServerContext({ logger: launching.logger, ...(clock && { clock }) });
  const { options, config, identity, server } = await assemble(validated, context, launching);
  const ended = server.run(signal);
  // A failure is reported to the caller below, and by `ended` itself.
  ended.catch(() => {});
  const { port } = await listening(server, ended, options);
  const url = `https://${localHost(options.secureServing.bindAddress)}:${port}`;
  const kubeconfigPath = writesKubeconfig ? writeKubeconfig(options, identity, url) : undefined;
  await whileHooksRun(() => Promise.race([context.signals.ready.signaled, ended]));
  await launching.shared?.started(config.storage.stores.main, options.data.keyRoot);
  return { url, kubeconfigPath, version: config.generic.version, ended };
}

/** A server that can run, and its config. */
interface Assembled extends ConfigOfOptions {
  readonly server: PreparedServer;
}

/** Builds the chain of servers from options. If a phase throws, all opened resources are closed. */
async function assemble(
  validated: KubeApiserverOptions,
  context: ServerContext,
  { configure, ...settings }: Omit<LaunchContext, 'signal' | 'clock' | 'whileHooksRun' | 'writesKubeconfig'>,
): Promise<Assembled> {
  // Servers that share parts do not change the objects of a start.
  const isFinal = configure === undefined || settings.shared !== undefined;
  const prepared = await prepareKubeApiServerConfig(validated, context, { ...settings, isFinal });
  try {
    await configure?.(prepared.config);
    const chain = createServerChain(completeKubeApiServerConfig(prepared.config));
    return { ...prepared, server: chain.prepareServer() };
  } catch (error) {
    await context.disposables.disposeAsync();
    throw error;
  }
}

async function listening(server: PreparedServer, ended: Promise<void>, { secureServing }: CompletedOptions) {
  try {
    return await server.listening;
  } catch (error) {
    // Its store is closed when the run has ended.
    await ended.catch(() => {});
    throw listenError(error, `${secureServing.bindAddress}:${secureServing.securePort}`);
  }
}

/** Codes of the failures that are of the address, and not of the machine. */
const BIND_FAILURES: readonly string[] = ['EACCES', 'EADDRINUSE', 'EADDRNOTAVAIL'];

/** Converts Node's error to Go's text. */
function listenError(error: unknown, address: string): unknown {
  if (!BIND_FAILURES.includes(codeOf(error) ?? '')) return error;
  const reason = `listen tcp ${address}: bind: ${goWordsOf(error)}`;
  const message = `failed to create listener: failed to listen on ${address}: ${reason}`;
  return new StartupError(message, { cause: error });
}

function writeKubeconfig(
  { data }: CompletedOptions,
  { admin, servingTrust }: ServerIdentity,
  server: string,
): string | undefined {
  if (admin === undefined) return undefined;
  writeAdminKubeconfig(data.kubeconfigPath, {
    server,
    certificateAuthority: servingTrust,
    clientCertificate: admin.certificate,
    clientKey: admin.key,
  });
  return data.kubeconfigPath;
}
