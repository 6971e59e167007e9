import { randomInt, randomUUID } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { systemClock } from '@apiserver/apimachinery/clock';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { KubeletClientConfig, ResourceSettings } from '@apiserver/builtin-resources';
import { addressAt, apiServerID } from '@apiserver/controlplane';
import {
  type AppliedAuthentication,
  addFeatureMetrics,
  type GenericServerConfig,
  newGenericServerConfig,
  versionInfo,
} from '@apiserver/generic-server';
import type { Encryption } from '@apiserver/registry-store/encryption';
import type { ResourceConfig } from '../api-enablement/resource-config.js';
import { buildInfo } from '../build-info.js';
import { defaultInterfaces, readRouteTables } from '../first-start/default-interface.js';
import { ensureServerIdentity, type ServerIdentity } from '../first-start/first-start.js';
import { makePrivateDirectory } from '../first-start/private-file.js';
import { defaultAdvertiseAddress, servingNames } from '../first-start/serving-names.js';
import { StartupError } from '../first-start/startup-error.js';
import { makesObjectsAsRecorded, storeFirstObjects } from '../first-start/store-first-objects.js';
import { warnOfStrangers } from '../first-start/warn-of-strangers.js';
import type { AggregatorSettings } from '../options/aggregator-options.js';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import type { StorageOptions } from '../options/storage-options.js';
import { deferredLoopbackClient } from '../server/deferred-loopback-client.js';
import type { KubeApiServerConfig, ServiceConfig } from '../server/kube-api-server-config.js';
import type { StorageConfig } from '../server/storage-config.js';
import { createKubeAdmission } from './admission.js';
import { choosePlaces, type StorageChoice } from './choose-places.js';
import { openEncryptionOf } from './open-encryption.js';
import { type OpenOverride, openOverrides, openStore } from './open-store.js';
import { createRbac } from './rbac.js';
import { sayingWhenSlow } from './saying-when-slow.js';
import { createServiceAccountConfig, type ServiceAccountConfig } from './service-accounts.js';

/** A config with what the program itself, not the server, needs of it. */
export interface PreparedConfig {
  readonly config: KubeApiServerConfig;
  readonly identity: ServerIdentity;
}

/** What a config is made with beside its options. */
export interface ConfigSurroundings {
  readonly logger: Logger;
  /** A file that the build has written: what a first start need not make. */
  readonly firstObjects?: string | undefined;
  /** Has the log written that waits for the end of the start. */
  readonly showLog?: (() => void) | undefined;
}

/** Decides where the data lies, makes its folder and opens the store. Logs that an etcd does not answer. */
async function openPlaces({ data, storage: options }: KubeApiserverOptions, { logger, showLog }: ConfigSurroundings) {
  const slow = { endpoints: data.transport.servers, clock: systemClock, logger, showLog };
  const { storage, dataDirectory } = await sayingWhenSlow(slow, () => choosePlaces(data));
  data.dataDirectory = dataDirectory;
  makePrivateDirectory(dataDirectory);
  warnOfStrangers(dataDirectory, logger);
  const surroundings = { clock: systemClock, options, logger: logger.named('storage') };
  const store = await sayingWhenSlow(slow, () => openStore(storage, surroundings));
  return { storage, store, surroundings };
}

/**
 * Turns validated options into a config: opens the store, makes or reads keys and certificates, and wires who may do what.
 * What it opened is closed again when it throws: a StartupError, or a KeyValueError of the store.
 * Upstream: cmd/kube-apiserver/app/config.go (NewConfig)
 */
export async function createConfig(
  options: KubeApiserverOptions,
  { logger, firstObjects, showLog }: ConfigSurroundings,
): Promise<PreparedConfig> {
  const { data } = options;
  const { storage, store, surroundings } = await openPlaces(options, { logger, showLog });
  let encryption: Encryption | undefined;
  try {
    const overrides = await openOverrides(storage, store, surroundings);
    const recorded = storage.type !== 'etcd3' && makesObjectsAsRecorded(options, logger) ? firstObjects : undefined;
    const storing =
      recorded && storeFirstObjects(store, { file: recorded, root: data.keyRoot, now: Date.now(), newUid: randomUUID });
    options.generic.advertiseAddress = advertiseAddressOf(options);
    const making = identityOf(options, logger);
    // They are waited for below, when what needs no keys is made.
    const ready = Promise.all([making, storing]);
    ready.catch(() => {});
    const loopbackClient = deferredLoopbackClient();
    const admission = createKubeAdmission({
      options: options.admission,
      loopbackClient,
      authorizer: () => generic.authorizer,
      metrics: () => generic.metrics,
      clock: systemClock,
      random: randomInt,
      logger,
    });
    const rbac = createRbac({ loopbackClient, clock: systemClock, random: randomInt, logger });
    const generic = newGenericServerConfig({ logger, admission: admission.chain });
    // Who does not serve CBOR does not load it.
    if (options.features.gate.enabled('CBORServingAndStorage'))
      generic.cbor = await import('@apiserver/apimachinery/codec/cbor');
    generic.unsafeDeletion = options.features.gate.enabled('AllowUnsafeMalformedObjectDeletion');
    const [identity] = await ready;
    const serviceAccounts = serviceAccountsOf(options, { identity, generic, loopbackClient });
    const authentication = await applyOptions(options, generic, identity, { rbac, serviceAccounts });
    encryption = await openEncryptionOf(options.storage, {
      ...{ clock: systemClock, logger: logger.named('encryption') },
      ...{ registry: generic.metrics, serverId: apiServerID(hostname()) },
    });
    const config: KubeApiServerConfig = {
      generic,
      store,
      storage: { ...storageOf(options.storage, storage, overrides), encryption },
      storagePrefix: data.keyRoot,
      loopbackClient,
      clock: systemClock,
      randomInt,
      newUid: randomUUID,
      services: servicesOf(options),
      enabled: enabledOf(options),
      aggregator: aggregatorOf(options, logger),
      resources: resourcesOf(options, generic),
      kubelet: kubeletOf(options),
      rbac,
      serviceAccounts,
      authentication,
      hostname: hostname(),
      owned: [...admission.informers, ...rbac.owned],
    };
    return { config, identity };
  } catch (error) {
    await encryption?.[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

function storageOf(
  options: StorageOptions,
  { type }: StorageChoice,
  overrides: readonly OpenOverride[],
): Omit<StorageConfig, 'encryption'> {
  const { healthcheckTimeout, readycheckTimeout, countMetricPollPeriod, databaseMetricPollInterval } = options;
  const shared = type === 'etcd3' ? 'application/vnd.kubernetes.protobuf' : undefined;
  return {
    mediaType: options.storageMediaType ?? shared,
    overrides,
    watchCache: options.watchCache.enabled,
    withoutCache: options.watchCache.withoutCache,
    deleteCollectionWorkers: options.deleteCollectionWorkers,
    enableGarbageCollection: options.enableGarbageCollector,
    ...{ healthcheckTimeout, readycheckTimeout, countMetricPollPeriod, databaseMetricPollInterval },
  };
}

/** Upstream: ServerRunOptions.DefaultAdvertiseAddress */
function advertiseAddressOf({ generic, secureServing }: KubeApiserverOptions): string {
  const preferred = () => defaultInterfaces(readRouteTables());
  return generic.advertiseAddress || defaultAdvertiseAddress(secureServing.bindAddress, networkInterfaces(), preferred);
}

/** Throws a StartupError for a file that cannot be read. */
function kubeletOf({ kubelet }: KubeApiserverOptions): KubeletClientConfig {
  try {
    return kubelet.clientConfig(Date.now);
  } catch (error) {
    throw new StartupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Throws a StartupError. */
function aggregatorOf({ aggregator }: KubeApiserverOptions, logger: Logger): AggregatorSettings {
  try {
    return aggregator.load(logger);
  } catch (error) {
    throw new StartupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Throws a StartupError. */
function enabledOf({ apiEnablement }: KubeApiserverOptions): ResourceConfig {
  try {
    return apiEnablement.toResourceConfig();
  } catch (error) {
    throw new StartupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Throws a StartupError for ranges that `validate` would have refused. */
function servicesOf({ generic, services }: KubeApiserverOptions): ServiceConfig {
  const [primary, ...secondary] = services.clusterIPRanges;
  if (primary === undefined) throw new StartupError('--service-cluster-ip-range must contain at least one valid cidr');
  return {
    ranges: [primary, ...secondary],
    nodePorts: services.nodePortRange,
    kubernetesServiceNodePort: services.kubernetesServiceNodePort,
    endpointReconciler: services.endpointReconciler,
    apiserverCount: services.apiserverCount,
    publicAddress: generic.advertiseAddress,
  };
}

function resourcesOf({ features, resources }: KubeApiserverOptions, generic: GenericServerConfig): ResourceSettings {
  const { gate } = features;
  for (const warning of features.warnings()) generic.logger.warning(warning);
  addFeatureMetrics(generic.metrics, gate);
  const eventTtlSeconds = Math.trunc(resources.eventTtl / 1_000);
  return { featureGates: gate, allowPrivileged: resources.allowPrivileged, eventTtlSeconds };
}

function identityOf(options: KubeApiserverOptions, logger: Logger): Promise<ServerIdentity> {
  const { authentication, data, generic, secureServing } = options;
  const { advertiseAddress } = generic;
  const [range] = servicesOf(options).ranges;
  const serviceAddress = addressAt(range, range.first);
  const { certFile, privateKeyFile, certDirectory, bindAddress } = secureServing;
  return ensureServerIdentity({
    dataDirectory: data.dataDirectory,
    certificateDirectory: certDirectory || data.certificateDirectory,
    servingFiles: certFile === '' ? undefined : { certificateFile: certFile, keyFile: privateKeyFile },
    clientCAFile: authentication.clientCAFile || undefined,
    servingNames: servingNames({ hostname: hostname(), serviceAddress, advertiseAddress, bindAddress }),
    now: new Date(),
    logger,
  });
}

/** Throws a StartupError. */
function serviceAccountsOf(
  { serviceAccounts: options }: KubeApiserverOptions,
  { identity, generic, loopbackClient }: ServiceAccountSurroundings,
): ServiceAccountConfig {
  const { logger, metrics, now } = generic;
  for (const warning of options.warnings()) logger.warning(warning);
  try {
    return createServiceAccountConfig({ options, ownKey: identity.serviceAccountKey, loopbackClient, metrics, now });
  } catch (error) {
    throw new StartupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

interface ServiceAccountSurroundings {
  readonly identity: ServerIdentity;
  readonly generic: GenericServerConfig;
  readonly loopbackClient: LoopbackClient;
}

/** Throws a StartupError: what fails here is a file that a flag names. */
async function applyOptions(
  options: KubeApiserverOptions,
  generic: GenericServerConfig,
  identity: ServerIdentity,
  { rbac, serviceAccounts }: Pick<KubeApiServerConfig, 'rbac' | 'serviceAccounts'>,
): Promise<AppliedAuthentication> {
  const { authentication, authorization, secureServing } = options;
  generic.version = options.version ?? versionInfo(buildInfo());
  secureServing.certFile = identity.servingFiles.certificateFile;
  secureServing.privateKeyFile = identity.servingFiles.keyFile;
  authentication.clientCAFile = identity.clientCAFile;
  // Upstream: completeServiceAccountOptions
  if (authentication.apiAudiences.length === 0) authentication.apiAudiences = options.serviceAccounts.issuers;
  authentication.applyAuthorization(authorization, generic.logger);
  try {
    await options.generic.applyTo(generic);
    options.profiling.applyTo(generic, { v: (value) => options.logging.changeVerbosity(value) });
    const parts = { serviceAccounts: serviceAccounts.authentication };
    const applied = authentication.applyTo(generic, parts);
    secureServing.applyTo(generic, applied.authorities);
    authorization.applyTo(generic, { RBAC: () => rbac.authorizer });
    return applied;
  } catch (error) {
    throw new StartupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
