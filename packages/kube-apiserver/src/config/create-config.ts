import { randomInt, randomUUID } from 'node:crypto';
import { hostname as machineName } from 'node:os';
import { fieldDescriptions } from '@apiserver/api';
import { durationClock, systemClock } from '@apiserver/apimachinery/clock';
import { ensureServerIdentity, type ServerIdentity, servingNames } from '@apiserver/bootstrap-pki';
import { podFeatures } from '@apiserver/builtin-resources';
import { addFeatureMetrics } from '@apiserver/component-base/feature-gates';
import { orStartupError, orStartupErrorLater, StartupError } from '@apiserver/component-base/process';
import { addressAt } from '@apiserver/controlplane';
import {
  type CertificateReader,
  type FollowingProcess,
  type GenericServerConfig,
  newGenericServerConfig,
  type ServerContext,
} from '@apiserver/generic-server';
import type { KeyValueStore, ObjectSource } from '@apiserver/registry-store';
import { serverIdOf } from '../features/server-id.js';
import type { CompletedOptions } from '../options/complete-options.js';
import { configureStorage } from '../storage/configure-storage.js';
import type { Stores } from '../storage/storage-config.js';
import { applyAuthorization } from './apply-authorization.js';
import { applyServerOptions, type ServerOptionsDependencies } from './apply-server-options.js';
import type { KubeApiServerConfig, PeerSettings, ResourceSettings, ServiceConfig } from './kube-api-server-config.js';
import { createServiceAccountConfig, type ServiceAccountConfig, type TokenKeyParser } from './service-accounts.js';

/** A config, and values that only the program needs. */
export interface PreparedConfig {
  readonly config: KubeApiServerConfig;
  readonly identity: ServerIdentity;
}

/** Dependencies of a config besides options and context. */
export interface ConfigDependencies {
  readonly stores: Stores;
  readonly debugFlags: ServerOptionsDependencies['debugFlags'];
  /** The ways into other networks. Default: all are reached straight. */
  readonly egress?: GenericServerConfig['egress'];
  /** Parts of other servers of this process. Default: none. */
  readonly shared?: SharedConfig | undefined;
  /**
   * Work on the stores that does not depend on the config. The config waits for it. It resolves to true if the store
   * then has the bootstrap policy, as a start leaves it.
   */
  readonly meanwhile?: Promise<boolean> | undefined;
}

/** Parts of a config that servers of one process share. */
export interface SharedConfig {
  /** Compiles each kind once. */
  readonly codecFor: GenericServerConfig['codecFor'];
  /** Reads the keys of each text once. */
  readonly tokenKeys: TokenKeyParser;
  /** Reads the certificates of each text once. */
  readonly certificates: CertificateReader;
  /** Keys and certificates of servers with the same options. They are checked for the first of them alone. */
  identity(options: object, ensure: () => Promise<ServerIdentity>): Promise<ServerIdentity>;
  /** True if a store has the bootstrap policy of this build, as a start has left it. */
  hasPolicy(store: KeyValueStore): boolean;
  /** Decoded objects that a store has in common with others; undefined until there are some. */
  knownObjects(store: KeyValueStore): () => ObjectSource | undefined;
}

/**
 * Converts completed options to a config: creates or reads keys and certificates, and creates the authorizer. Throws a
 * StartupError.
 * Upstream: cmd/kube-apiserver/app/config.go (NewConfig)
 */
export async function createConfig(
  options: CompletedOptions,
  context: ServerContext,
  { stores, debugFlags, egress, meanwhile, shared }: ConfigDependencies,
): Promise<PreparedConfig> {
  const hostname = machineName();
  const services = serviceConfigOf(options);
  // Other threads create the keys. Options that need no keys are applied meanwhile.
  const making = Promise.all([ensureIdentity(options, { services, hostname, context, shared }), meanwhile]);
  making.catch(() => {});
  const nativeHistograms = options.features.gate.enabled('NativeHistograms');
  options.metrics.applyTo(context.metrics, { nativeHistograms });
  const generic = newGenericServerConfig(context);
  generic.codecFor = shared?.codecFor ?? generic.codecFor;
  generic.certificates = shared?.certificates ?? generic.certificates;
  generic.fieldDescription = fieldDescriptions();
  generic.egress = egress;
  await applyServerOptions(options, generic, { hostname, debugFlags });
  const { codecFor, unsafeDeletion = false } = generic;
  const isObserved = generic.audit !== undefined || generic.tracer !== undefined;
  const storing = { stores, hostname, codecFor, unsafeDeletion, isObserved, known: shared?.knownObjects(stores.main) };
  const storage = await configureStorage(options, context, storing);
  const { rbac, node } = await applyAuthorization(options, generic, { hostname, provider: storage.provider });
  const [identity, storedPolicy = false] = await making;
  const serviceAccounts = await orStartupErrorLater(
    createServiceAccountConfig(options.serviceAccounts, identity.serviceAccountKey, {
      ...context,
      parser: shared?.tokenKeys,
    }),
  );
  const config: KubeApiServerConfig = {
    generic,
    storage,
    hostname,
    services,
    rbac,
    node,
    serviceAccounts,
    randomInt,
    newUid: randomUUID,
    extraGroups: [],
    authentication: await orStartupErrorLater(
      applyAuthentication(options, generic, { hostname, identity, serviceAccounts }),
    ),
    enabled: orStartupError(() => options.apiEnablement.toResourceConfig()),
    emulation: options.features.emulation,
    aggregator: orStartupError(() => options.aggregator.load(context)),
    resources: resourceSettingsOf(options, context),
    controllers: options.controllers.enabled,
    leaderElection: options.features.gate.enabled('CoordinatedLeaderElection') ? options.peers.timers : undefined,
    peers: await orStartupErrorLater(peerSettingsOf(options, context)),
    enableLogsHandler: options.resources.enableLogsHandler,
    maxConnectionBytesPerSec: options.resources.maxConnectionBytesPerSec,
    rootCA: identity.servingTrust,
    hasPolicy: storedPolicy || (shared?.hasPolicy(stores.main) ?? false),
    kubelet: orStartupError(() =>
      options.kubelet.clientConfig(() => durationClock(context.clock).now(), generic.egress?.('cluster')),
    ),
  };
  return { config, identity };
}

/** Dependencies of authentication besides options. */
interface AuthenticationDependencies {
  readonly hostname: string;
  readonly identity: ServerIdentity;
  readonly serviceAccounts: ServiceAccountConfig;
}

/** Applies the options that need keys: authentication and the serving certificate. */
async function applyAuthentication(
  { authentication, features, secureServing }: CompletedOptions,
  generic: GenericServerConfig,
  { hostname, identity, serviceAccounts }: AuthenticationDependencies,
): Promise<KubeApiServerConfig['authentication']> {
  const applied = await authentication.applyTo(generic, {
    serviceAccounts: serviceAccounts.authentication,
    bootstrapSecret: serviceAccounts.bootstrapSecret,
    serverId: serverIdOf(features.gate, hostname),
    features: {
      egressSelector: features.gate.enabled('StructuredAuthenticationConfigurationEgressSelector'),
      keySetMetrics: features.gate.enabled('StructuredAuthenticationConfigurationJWKSMetrics'),
      certificateUid: features.gate.enabled('AllowParsingUserUIDFromCertAuth'),
    },
    egress: generic.egress,
    generatedClientCAFile: identity.clientCAFile,
  });
  const { servingFiles: generated, isServingIssued: isGeneratedOwn } = identity;
  secureServing.applyTo(generic, { authorities: applied.authorities, generated, isGeneratedOwn });
  return applied;
}

/** Throws a StartupError for ranges that `validate` refuses. */
function serviceConfigOf({ generic, services }: CompletedOptions): ServiceConfig {
  const [primary, ...secondary] = services.clusterIPRanges;
  if (primary === undefined) throw new StartupError('--service-cluster-ip-range must contain at least one valid cidr');
  return {
    ranges: [primary, ...secondary],
    nodePorts: services.nodePortRange,
    kubernetesServiceNodePort: services.kubernetesServiceNodePort,
    endpointReconciler: services.endpointReconciler,
    apiserverCount: services.apiserverCount,
    publicAddress: generic.advertiseAddress,
    publicPort: services.advertisePort,
  };
}

function resourceSettingsOf({ features, resources }: CompletedOptions, context: ServerContext): ResourceSettings {
  const { gate } = features;
  for (const warning of features.warnings()) context.logger.warning(warning);
  addFeatureMetrics(context.metrics, gate);
  const eventTtlSeconds = Math.trunc(resources.eventTtl / 1_000);
  return {
    features: gate,
    containers: { allowPrivileged: resources.allowPrivileged, features: podFeatures(gate) },
    eventTtlSeconds,
  };
}

/** A server whose store no other process opens publishes no address, unless it is to have peers. */
async function peerSettingsOf(
  { aggregator, data, features, peers }: CompletedOptions,
  process: FollowingProcess,
): Promise<PeerSettings> {
  const isEnabled = features.gate.enabled('UnknownVersionInteroperabilityProxy');
  return {
    publishesAddress: isEnabled && (data.usesEtcd || peers.caFile !== '' || peers.advertised !== undefined),
    advertised: peers.advertised,
    proxy: isEnabled ? await peers.loadProxy(aggregator, process) : undefined,
  };
}

/** Dependencies of keys and certificates besides options. */
interface IdentityDependencies {
  readonly services: ServiceConfig;
  readonly hostname: string;
  readonly context: ServerContext;
  readonly shared: ConfigDependencies['shared'];
}

function ensureIdentity(
  { authentication, data, generic, secureServing, serviceAccounts }: CompletedOptions,
  { services, hostname, context, shared }: IdentityDependencies,
): Promise<ServerIdentity> {
  const { advertiseAddress } = generic;
  const [range] = services.ranges;
  const serviceAddress = addressAt(range, range.first);
  const { certFile, privateKeyFile, certDirectory, bindAddress } = secureServing;
  const wanted = {
    dataDirectory: data.dataDirectory,
    certificateDirectory: certDirectory || data.certificateDirectory,
    servingFiles: certFile === '' ? undefined : { certificateFile: certFile, keyFile: privateKeyFile },
    clientCAFile: authentication.clientCAFile || undefined,
    bringsServiceAccountKey: serviceAccounts.signingKeyFile !== '' || serviceAccounts.signingEndpoint !== '',
    servingNames: servingNames({ hostname, serviceAddress, advertiseAddress, bindAddress }),
  };
  // Both ends of a connection check certificates by the time of their machine.
  const dependencies = { now: new Date(systemClock.now()), logger: context.logger };
  if (shared === undefined) return ensureServerIdentity({ ...wanted, ...dependencies });
  return shared.identity(wanted, () => ensureServerIdentity({ ...wanted, ...dependencies, survivesCrash: false }));
}
