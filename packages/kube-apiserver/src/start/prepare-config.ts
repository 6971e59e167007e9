import { randomUUID } from 'node:crypto';
import { once } from '@apiserver/apimachinery/lazy';
import { makePrivateDirectory, warnOfStrangers } from '@apiserver/component-base/process';
import { readFirstObjects, storeFirstObjects } from '@apiserver/controlplane';
import type { DebugFlagSetter, ServerContext } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { SocketDialer } from '@apiserver/registry-store/grpc';
import { createConfig, type PreparedConfig } from '../config/create-config.js';
import { type CompletedOptions, completeOptions } from '../options/complete-options.js';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { optionsFingerprint } from '../options/options-fingerprint.js';
import { choosePlaces, type DataPlaces, dataDirectoryOf, preferMemory } from '../storage/choose-places.js';
import { openStores } from '../storage/configure-storage.js';
import { logSlowWait } from '../storage/log-slow-wait.js';
import type { Stores } from '../storage/storage-config.js';
import type { SharedContext } from './shared-context.js';

/** Dependencies of a config besides options and context. All have defaults. */
export interface PrepareConfigOptions {
  /** A file of the build that contains the objects of a first start. */
  readonly firstObjects?: string | undefined;
  /**
   * True if nothing changes the config: the bootstrap policy that a start has taken from the build is not compared with
   * it. Default: false.
   */
  readonly isFinal?: boolean;
  /** Parts of other servers of this process. Default: none. */
  readonly shared?: SharedContext | undefined;
  /** An open store, instead of the one that the options choose. */
  readonly storage?: KeyValueStore;
  /** Keeps objects in memory, unless `--storage-backend` or an etcd keeps them. Default: false. */
  readonly prefersMemory?: boolean;
  /** Wraps the store of objects, whose disposal stays with this server. Default: unchanged. */
  readonly wrapStore?: (store: KeyValueStore) => KeyValueStore;
  /** Flags that can be changed while the server runs, by name. Default: none. */
  readonly debugFlags?: Readonly<Record<string, DebugFlagSetter>>;
  /** Writes the log lines that are queued during the start. */
  readonly showLog?: () => void;
}

/** A config and its options. */
export interface ConfigOfOptions extends PreparedConfig {
  readonly options: CompletedOptions;
}

/**
 * Creates a config from validated options: sets defaults, opens the stores, creates or reads keys and certificates.
 * The config may be changed until `completeKubeApiServerConfig`. The disposables of `context` close the stores; so does
 * a failure here. Rejects with a StartupError, or the store's KeyValueError.
 */
export async function prepareKubeApiServerConfig(
  validated: KubeApiserverOptions,
  context: ServerContext,
  settings: PrepareConfigOptions = {},
): Promise<ConfigOfOptions> {
  context.disposables.use(settings.storage);
  try {
    const egress = await validated.egressSelector.create(context);
    const { options, stores } = await openPlaces(validated, context, { ...settings, dialEtcd: egress?.('etcd') });
    const prepared = await createConfig(options, context, {
      stores,
      debugFlags: settings.debugFlags ?? {},
      egress,
      shared: settings.shared,
      meanwhile: storeRecorded(options, stores, { settings, context }),
    });
    return { options, ...prepared };
  } catch (error) {
    await context.disposables.disposeAsync();
    throw error;
  }
}

interface PlaceSettings extends PrepareConfigOptions {
  /** Opens connections to etcd. Default: TCP from this machine. */
  readonly dialEtcd: SocketDialer | undefined;
}

/** Resolves the data folder, creates it and opens the stores. Logs an etcd that does not respond. */
async function openPlaces(validated: KubeApiserverOptions, context: ServerContext, settings: PlaceSettings) {
  const { clock, logger, disposables } = context;
  const { dialEtcd } = settings;
  const { data } = validated;
  const slow = { endpoints: data.transport.servers, clock, logger, showLog: settings.showLog };
  const { storage, dataDirectory } =
    settings.storage === undefined
      ? await logSlowWait(slow, () => chosenPlaces(data, settings))
      : { storage: { type: 'given', store: settings.storage } as const, dataDirectory: dataDirectoryOf(data) };
  const options = completeOptions(validated, { dataDirectory, isOnEtcd: storage.type === 'etcd3', logger });
  makePrivateDirectory(dataDirectory, 'data-dir');
  warnOfStrangers(dataDirectory, logger);
  const stores = await logSlowWait(slow, () => openStores(storage, options, { clock, logger, disposables, dialEtcd }));
  return { options, stores: { ...stores, main: settings.wrapStore?.(stores.main) ?? stores.main } };
}

async function chosenPlaces(data: KubeApiserverOptions['data'], settings: PlaceSettings): Promise<DataPlaces> {
  const { dialEtcd } = settings;
  const places = await choosePlaces(data, { isDialled: dialEtcd !== undefined });
  return settings.prefersMemory === true ? preferMemory(places, data) : places;
}

interface RecordedContext {
  readonly settings: PrepareConfigOptions;
  readonly context: ServerContext;
}

/**
 * Stores the first objects that were recorded, if this server would create the same ones. Returns true if it has done
 * so and its config is final: a server of this build has reconciled their policy and aggregated their roles.
 */
async function storeRecorded(
  options: CompletedOptions,
  { main }: Stores,
  { settings: { firstObjects: file, shared, isFinal = false }, context: { clock, logger } }: RecordedContext,
): Promise<boolean> {
  // With this verbosity the log shows the creation of each object.
  if ((file === undefined && shared === undefined) || logger.named('rbac').v(2) !== undefined) return false;
  const fingerprint = once(() => optionsFingerprint(options));
  const { keyRoot: root } = options.data;
  const built = once(() => (file === undefined ? undefined : readFirstObjects(file, fingerprint)));
  const recorded = () => shared?.firstObjects(fingerprint()) ?? built();
  const outcome = await storeFirstObjects(main, { recorded, root, now: clock.now(), newUid: randomUUID });
  if (outcome !== 'had objects' && shared?.firstObjects(fingerprint()) === undefined) {
    shared?.starting(main, { fingerprint: fingerprint(), objects: built() });
  }
  return isFinal && outcome === 'stored';
}
