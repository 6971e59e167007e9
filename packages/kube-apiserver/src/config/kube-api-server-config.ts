import type { RandomInt } from '@apiserver/apimachinery/random';
import type { BuiltinGroupDependencies, KubeletClientConfig } from '@apiserver/builtin-resources';
import type { IPRange, LeaderElectionTimers, PortRange } from '@apiserver/controlplane';
import type {
  AppliedAuthentication,
  Completed,
  CompletedGenericServerConfig,
  GenericServerConfig,
  ServedGroup,
} from '@apiserver/generic-server';
import { completeGenericServerConfig } from '@apiserver/generic-server';
import type { Emulation } from '../api-enablement/introduced-resources.js';
import type { ResourceConfig } from '../api-enablement/resource-config.js';
import type { AggregatorSettings } from '../options/aggregator-options.js';
import type { AdvertisedAddress, LoadedProxy } from '../options/peer-options.js';
import type { EndpointReconcilerType } from '../options/service-options.js';
import type { StorageConfig } from '../storage/storage-config.js';
import type { NodeAuthorization } from './node-authorization.js';
import type { RbacAuthorization } from './rbac-authorization.js';
import type { ServiceAccountConfig } from './service-accounts.js';

/** Addresses and ports of services, and the address of the API for pods. ServiceOptions documents each field. */
export interface ServiceConfig {
  readonly ranges: readonly [IPRange, ...IPRange[]];
  readonly nodePorts: PortRange;
  readonly kubernetesServiceNodePort: number;
  readonly endpointReconciler: EndpointReconcilerType;
  readonly apiserverCount: number;
  /** The address at which other machines reach this server. */
  readonly publicAddress: string;
  /** The port there; 0 for the listening port. */
  readonly publicPort: number;
}

/** An operator's settings for the built-in resources. */
export type ResourceSettings = Pick<BuiltinGroupDependencies, 'features' | 'containers' | 'eventTtlSeconds'>;

/** Other kube-apiservers on the same store. PeerOptions documents each field. */
export interface PeerSettings {
  /** True if the address of this server stands in the store. */
  readonly publishesAddress: boolean;
  /** The address for peers. Default: that of the service `kubernetes`. */
  readonly advertised: AdvertisedAddress | undefined;
  /** The authorities of peers, and the proxy to them; undefined without `--peer-ca-file`. */
  readonly proxy: LoadedProxy | undefined;
}

/**
 * A generic server, and the storage of its objects.
 * Upstream: pkg/controlplane.Config
 */
export interface KubeApiServerConfig {
  readonly generic: GenericServerConfig;
  readonly storage: StorageConfig;
  readonly randomInt: RandomInt;
  readonly newUid: () => string;
  readonly services: ServiceConfig;
  readonly aggregator: AggregatorSettings;
  /** Groups that a program adds to the built-in ones. They share the storage. Default: none. */
  extraGroups: readonly ServedGroup[];
  /** The enabled built-in resources. Upstream flag: --runtime-config */
  readonly enabled: ResourceConfig;
  /** The release that the server emulates; undefined for its own. Upstream flag: --emulated-version */
  readonly emulation: Emulation | undefined;
  readonly resources: ResourceSettings;
  readonly kubelet: KubeletClientConfig;
  /** Limits each direction of an upgraded connection; 0 for no limit. Upstream flag: --max-connection-bytes-per-sec */
  readonly maxConnectionBytesPerSec: number;
  /** Serves the logs of the machine at /logs. Upstream flag: --enable-logs-handler */
  readonly enableLogsHandler: boolean;
  /** PEM: what clients of the serving certificate have to trust. */
  readonly rootCA: string;
  /** True if the store has the bootstrap policy, so that the start does not reconcile it. */
  readonly hasPolicy: boolean;
  /** The names of the controllers that run in the server. Flag: --controllers */
  readonly controllers: readonly string[];
  /** Intervals of coordinated leader election; undefined if its feature gate is off. */
  readonly leaderElection: LeaderElectionTimers | undefined;
  readonly rbac: RbacAuthorization;
  /** Undefined if the mode Node is not configured. */
  readonly node: NodeAuthorization | undefined;
  readonly serviceAccounts: ServiceAccountConfig;
  /** The authorities of clients, for extension servers. */
  readonly authentication: AppliedAuthentication;
  /** The name of this machine, which identifies the server to its peers. Each server of one store has its own. */
  hostname: string;
  readonly peers: PeerSettings;
}

/** A config with all defaults filled in. */
export interface CompletedKubeApiServerConfig extends Omit<KubeApiServerConfig, 'generic'> {
  readonly generic: Completed<CompletedGenericServerConfig>;
}

/** Upstream: pkg/controlplane.Config.Complete */
export function completeKubeApiServerConfig(config: KubeApiServerConfig): Completed<CompletedKubeApiServerConfig> {
  const completed: CompletedKubeApiServerConfig = { ...config, generic: completeGenericServerConfig(config.generic) };
  return completed as Completed<CompletedKubeApiServerConfig>;
}
