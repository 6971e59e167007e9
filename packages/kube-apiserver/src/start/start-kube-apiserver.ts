import { networkInterfaces } from 'node:os';
import type { Clock } from '@apiserver/apimachinery/clock';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { once } from '@apiserver/apimachinery/lazy';
import type { Logger } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/component-base/logging';
import { fileBeside, refuseUnknownOptions, StartupError } from '@apiserver/component-base/process';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { KubeApiServerConfig } from '../config/kube-api-server-config.js';
import { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { launch } from './launch.js';
import type { SharedContext } from './shared-context.js';

/** Options of a server inside a program. Each has the default of its flag, unless another one is documented. */
export interface StartOptions {
  /** Folder for objects, keys and kubeconfig. */
  readonly dataDirectory: string;
  /** Default `lmdb`; `memory` leaves only keys and kubeconfig in the folder. */
  readonly storageBackend?: 'lmdb' | 'memory';
  /** An open store of your own, instead of `storageBackend`. The server disposes it; so does a failure to start. */
  readonly storage?: KeyValueStore;
  /** Default 127.0.0.1, unlike the binary's. */
  readonly bindAddress?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Further flags, as on the command line: `['--max-requests-inflight=10']`. */
  readonly flags?: readonly string[];
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** The time of the server. Default: the machine's clock. */
  readonly clock?: Clock;
  /** False leaves out the administrator's kubeconfig. Default: true. */
  readonly writesKubeconfig?: boolean;
  /** Parts of other servers of this process. Only for servers whose `configure` adds no objects. Default: none. */
  readonly shared?: SharedContext | undefined;
  /** Changes the config before the servers are made: filters, admission, groups in code. */
  readonly configure?: (config: KubeApiServerConfig) => Promise<void> | void;
}

/** All names, so that the compiler refuses an option that is not here. */
const known: Readonly<Record<keyof StartOptions, true>> = {
  dataDirectory: true,
  storageBackend: true,
  storage: true,
  bindAddress: true,
  port: true,
  flags: true,
  logger: true,
  clock: true,
  writesKubeconfig: true,
  shared: true,
  configure: true,
};

/** A server in this process. */
export interface RunningKubeApiserver extends AsyncDisposable {
  /** `https://127.0.0.1:40123` */
  readonly address: string;
  /** Undefined when `--client-ca-file` was given. */
  readonly kubeconfigPath: string | undefined;
  /** Settles when the server has ended; rejects when it failed. */
  readonly ended: Promise<void>;
  /** Ends it in order and resolves when its store is closed. */
  stop(): Promise<void>;
}

/**
 * Starts a kube-apiserver in this process and resolves when it is ready. Installs no signal handlers. Throws a
 * FlagError for invalid flags, and a StartupError for unknown options, or with every message for invalid values. Throws
 * a KeyValueError if the data folder is unusable.
 */
export async function startKubeApiserver(start: StartOptions): Promise<RunningKubeApiserver> {
  const { clock, storage } = start;
  const options = await validOptions(start);
  const stopping = new AbortController();
  const { url, kubeconfigPath, ended } = await launch(options, {
    logger: start.logger ?? silentLogger,
    signal: stopping.signal,
    configure: start.configure,
    shared: start.shared,
    firstObjects: builtFirstObjects(),
    writesKubeconfig: start.writesKubeconfig ?? true,
    ...(clock && { clock }),
    ...(storage && { storage }),
  });
  const stop = () => {
    stopping.abort();
    return ended;
  };
  return { address: url, kubeconfigPath, ended, stop, [Symbol.asyncDispose]: stop };
}

/**
 * The build's file lies beside this code in a bundle, and in a folder of compiled modules beside the binary's. Sources
 * have none. It is looked for once.
 */
const builtFirstObjects = once(() =>
  fileBeside(import.meta.url, ['first-objects.json', '../bundle/first-objects.json']),
);

/** Disposes the given store if the options are invalid. */
async function validOptions(start: StartOptions): Promise<KubeApiserverOptions> {
  try {
    refuseUnknownOptions('startKubeApiserver', start, known);
    const { shared, storage, logger = silentLogger } = start;
    // A store of its own decides about the data; warnings about options are for a logger. Each start validates files.
    const isShared = storage !== undefined && logger === silentLogger && !start.flags?.some((flag) => FILES.test(flag));
    return isShared && shared !== undefined ? shared.options(placeOf(start), () => optionsOf(start)) : optionsOf(start);
  } catch (error) {
    await start.storage?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** Flags whose values are files, which may change between two starts. */
const FILES = /^-+[\w-]*(?:file|config)(?:=|$)/;

/** Everything that determines the completed options, but for files. */
function placeOf({ dataDirectory, storageBackend, bindAddress, port, flags }: StartOptions): string {
  return JSON.stringify([dataDirectory, storageBackend, bindAddress, port, flags, networkInterfaces()]);
}

function optionsOf(start: StartOptions): KubeApiserverOptions {
  const options = new KubeApiserverOptions();
  options.data.dataDirectory = start.dataDirectory;
  options.data.backend = start.storageBackend ?? options.data.backend;
  options.secureServing.bindAddress = start.bindAddress ?? '127.0.0.1';
  options.secureServing.securePort = start.port ?? 0;
  options.flagSets().parse(start.flags ?? []);
  if (options.testEndpoint.isOn) throw new StartupError('--test-endpoint: only the command has it');
  const errors = options.validate();
  if (errors.length > 0) throw new StartupError(aggregateMessages(errors));
  return options;
}
