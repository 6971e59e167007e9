import { randomUUID } from 'node:crypto';
import type { Logger } from '@apiserver/apiserver-contracts';
import { localHost, type ServerIdentity, writeAdminKubeconfig } from '@apiserver/bootstrap-pki';
import { makePrivateDirectory, StartupError, warnOfStrangers } from '@apiserver/component-base/process';
import type { VersionInfo } from '@apiserver/component-base/version';
import { storeFirstObjects } from '@apiserver/controlplane';
import {
  type DebugFlagSetter,
  newServerContext,
  type PreparedServer,
  type ServerContext,
} from '@apiserver/generic-server';
import { createConfig, type PreparedConfig } from '../config/create-config.js';
import { completeKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { type CompletedOptions, completeOptions } from '../options/complete-options.js';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { optionsFingerprint } from '../options/options-fingerprint.js';
import { createServerChain } from '../server/create-server-chain.js';
import { choosePlaces } from '../storage/choose-places.js';
import { openStores } from '../storage/configure-storage.js';
import { sayingWhenSlow } from '../storage/saying-when-slow.js';
import type { Stores } from '../storage/storage-config.js';

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

/** Dependencies of a launch besides options. */
export interface LaunchContext {
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** A file that the build has written: what a first start need not make. */
  readonly firstObjects?: string | undefined;
  /** Flags that can be changed while the server runs, by name. Default: none. */
  readonly debugFlags?: Readonly<Record<string, DebugFlagSetter>>;
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
  validated: KubeApiserverOptions,
  { signal, whileHooksRun = (hooks) => hooks(), ...launching }: LaunchContext,
): Promise<LaunchedServer> {
  const context = newServerContext({ logger: launching.logger });
  const { options, prepared, server } = await assemble(validated, context, launching);
  const ended = server.run(signal);
  // A failure is reported to the caller below, and by `ended` itself.
  ended.catch(() => {});
  const { port } = await listening(server, ended, options);
  const url = `https://${localHost(options.secureServing.bindAddress)}:${port}`;
  const kubeconfigPath = writeKubeconfig(options, prepared.identity, url);
  await whileHooksRun(() => Promise.race([context.signals.ready.signaled, ended]));
  return { url, kubeconfigPath, version: prepared.config.generic.version, ended };
}

type Launching = Omit<LaunchContext, 'signal' | 'whileHooksRun'>;

/** A server that can run, of options that are completed, with its data folder open. */
interface Assembled {
  readonly options: CompletedOptions;
  readonly prepared: PreparedConfig;
  readonly server: PreparedServer;
}

/** From options to a chain of servers, one phase after the other. When one throws, everything that was opened is closed again. */
async function assemble(
  validated: KubeApiserverOptions,
  context: ServerContext,
  launching: Launching,
): Promise<Assembled> {
  try {
    const { options, stores } = await openPlaces(validated, context, launching);
    const prepared = await createConfig(options, context, {
      stores,
      debugFlags: launching.debugFlags ?? {},
      meanwhile: storeRecorded(options, stores, launching),
    });
    const chain = createServerChain(completeKubeApiServerConfig(prepared.config));
    return { options, prepared, server: chain.prepareServer() };
  } catch (error) {
    await context.disposables.disposeAsync();
    throw error;
  }
}

/** Decides where the data lies, makes its folder and opens the stores. Logs that an etcd does not answer. */
async function openPlaces(validated: KubeApiserverOptions, context: ServerContext, { showLog }: Launching) {
  const { clock, logger } = context;
  const slow = { endpoints: validated.data.transport.servers, clock, logger, showLog };
  const { storage, dataDirectory } = await sayingWhenSlow(slow, () => choosePlaces(validated.data));
  const options = completeOptions(validated, { dataDirectory, isOnEtcd: storage.type === 'etcd3', logger });
  makePrivateDirectory(dataDirectory);
  warnOfStrangers(dataDirectory, logger);
  return { options, stores: await sayingWhenSlow(slow, () => openStores(storage, options, context)) };
}

/** Stores the objects that the build has recorded, where this server would make the same. */
function storeRecorded(
  options: CompletedOptions,
  { main }: Stores,
  { firstObjects: file, logger }: Launching,
): Promise<void> | undefined {
  // An operator who logs each of them has them made.
  if (file === undefined || logger.named('rbac').v(2) !== undefined) return undefined;
  const fingerprint = () => optionsFingerprint(options);
  const { keyRoot: root } = options.data;
  return storeFirstObjects(main, { file, fingerprint, root, now: Date.now(), newUid: randomUUID });
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
