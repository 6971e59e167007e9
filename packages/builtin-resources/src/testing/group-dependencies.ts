import { systemClock } from '@apiserver/apimachinery/clock';
import type { AnyResourceDefinition, FeatureGates } from '@apiserver/apiserver-contracts';
import { type BuiltinGroupDependencies, builtinGroups } from '../builtin-groups.js';
import { noConnectionMetrics } from '../core/connect/connection-metrics.js';
import type { ServiceStoreOptions } from '../core/service/allocation/with-service-allocators.js';

/** A built-in group, for tests that walk all of them. */
export interface StoredGroup {
  readonly group: string;
  readonly versions: readonly string[];
  /** The definitions of stored resources. */
  readonly definitions: readonly AnyResourceDefinition[];
}

/** Allocates ascending addresses from 10.0.0.1, and no node ports. */
function testAllocation(): ServiceStoreOptions {
  let last = 0;
  const none = () => Promise.reject(new Error('there are no node ports in this test'));
  const addresses = { allocate: async () => {}, allocateNext: async () => `10.0.0.${++last}`, release: async () => {} };
  return {
    allocators: {
      primaryFamily: 'IPv4',
      clusterIPs: new Map([['IPv4', addresses]]),
      nodePorts: { allocate: none, allocateNext: none, release: none, has: () => false },
      ready: async () => {},
    },
    deleteEndpoints: async () => {},
    onCleanupError: (error) => {
      throw error;
    },
  };
}

/** A kind behind a gate is walked like all others. */
const TEST_GATES: ReadonlySet<string> = new Set([
  'AuthorizePodWebsocketUpgradeCreatePermission',
  'ClusterTrustBundle',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAResourceClaimGranularStatusAuthorization',
  'DeploymentReplicaSetTerminatingReplicas',
  'GenericWorkload',
  'ExtendWebSocketsToKubelet',
  'HPAConfigurableTolerance',
  'NodeDeclaredFeatures',
  'PodCertificateRequest',
  'PortForwardWebsockets',
  'RelaxedServiceNameValidation',
  'ServiceCIDRStatusFieldWiping',
  'StorageVersionMigrator',
  'StrictIPCIDRValidation',
  'TokenRequestServiceAccountUIDValidation',
  'TranslateStreamCloseWebsocketRequests',
]);

/** Pods with certificates in volumes. */
export const CERTIFICATE_VOLUMES = { ClusterTrustBundleProjection: true, PodCertificateRequest: true };

/** The features of `testGroupDependencies`. */
export const TEST_FEATURES: FeatureGates = { enabled: (name) => TEST_GATES.has(name) };

/** The same with other states of some gates. */
export function testFeatures(changes: Readonly<Record<string, boolean>>): FeatureGates {
  return { enabled: (name) => changes[name] ?? TEST_FEATURES.enabled(name) };
}

/** Dependencies of the groups of a server with default flags. Calls that would reach a server throw. */
export function testGroupDependencies(changes: Partial<BuiltinGroupDependencies> = {}): BuiltinGroupDependencies {
  const check = async () => {};
  const never = (): never => {
    throw new Error('there is no server in this test');
  };
  const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 1 };
  const objects = { pod: never, node: never, service: never, endpoints: never, secret: never };
  const client = {
    resource: { group: '', version: '', resource: '' },
    get: never,
    list: never,
    watch: never,
    create: never,
    update: never,
    delete: never,
    deleteCollection: never,
    patch: never,
    apply: never,
  };
  return {
    clock: systemClock,
    install: (definition) => ({ definition, storage: {}, subresources: {} }),
    features: TEST_FEATURES,
    containers: { allowPrivileged: false, features: CERTIFICATE_VOLUMES },
    eventTtlSeconds: 3600,
    escalation: {
      checkRole: check,
      checkClusterRole: check,
      checkRoleBinding: check,
      checkClusterRoleBinding: check,
    },
    paramAccess: { authorizer: { authorize: never }, resourceOf: never, policyOf: never },
    signers: { authorize: never },
    deviceAccess: { labelsOf: never, refusal: never },
    allocation: testAllocation(),
    connections: {
      objects,
      kubelet: { preferredAddressTypes: [], port: 10_250, transport, insecureTransport: transport },
      proxyTransport: transport,
      features: TEST_FEATURES,
      maxBytesPerSec: 0,
      authorizer: { authorize: never },
      metrics: noConnectionMetrics,
      lookup: never,
      random: never,
    },
    evictions: { budgets: client, retry: { random: never, sleep: never } },
    tokens: {
      features: TEST_FEATURES,
      issuer: { generate: never },
      audiences: [],
      maxExpirationSeconds: 0,
      extendExpiration: true,
      maxExtendedSeconds: 0,
      objects,
      now: never,
    },
    ...changes,
  };
}

/** The groups of such a server, with their installed definitions. */
export function storedGroups(changes: Partial<BuiltinGroupDependencies> = {}): readonly StoredGroup[] {
  const installed = new Set<AnyResourceDefinition>();
  const dependencies = testGroupDependencies({
    ...changes,
    install: (definition) => {
      installed.add(definition);
      return { definition, storage: {}, subresources: {} };
    },
  });
  return builtinGroups(dependencies).map(({ group, versions, resources }) => ({
    group,
    versions,
    definitions: resources.flatMap(({ definition }) => (installed.has(definition) ? [definition] : [])),
  }));
}

/** The definitions of all these groups. */
export function storedDefinitions(changes: Partial<BuiltinGroupDependencies> = {}): readonly AnyResourceDefinition[] {
  return storedGroups(changes).flatMap(({ definitions }) => definitions);
}
