import type { Service } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FinishHook, ResourceDefinition, StoreHooks, VerbContext } from '@apiserver/apiserver-contracts';
import { ipFamilyOf } from '../cluster-ip-validation.js';
import { HEADLESS, needsClusterIP } from '../service-traits.js';
import { normalizeClusterIPs, patchAllocatedValues } from './allocated-values.js';
import { allocateClusterIPs, releaseClusterIPs, updateClusterIPs } from './cluster-ip-allocation.js';
import { initIPFamilyFields } from './ip-family-fields.js';
import { allocateNodePorts, releaseNodePorts, updateNodePorts } from './node-port-allocation.js';
import type { AllocationOptions, IPFamily, ServiceAllocators } from './service-allocators.js';
import { type Transaction, transactions } from './transaction.js';

/** Dependencies of the services of one server. */
export interface ServiceStoreOptions {
  readonly allocators: ServiceAllocators;
  /** Deletes the endpoints of that name, if any: a later service of the same name must not use them. */
  deleteEndpoints(namespace: string, name: string): Promise<void>;
  /** Receives failures to release; the repair loops retry them. */
  onCleanupError(error: unknown, service: Service): void;
}

/**
 * The definition of services for one server. Its Store allocates addresses and node ports, and releases them after a
 * failed write or a deletion.
 * Upstream: pkg/registry/core/service/storage/storage.go
 */
export function withServiceAllocators(
  definition: ResourceDefinition<Service>,
  strictAddresses: boolean,
  options: ServiceStoreOptions,
): ResourceDefinition<Service> {
  return { ...definition, storeHooks: { ...definition.storeHooks, ...serviceStoreHooks(options, strictAddresses) } };
}

function serviceStoreHooks(options: ServiceStoreOptions, strictAddresses: boolean): StoreHooks<Service> {
  const { allocators } = options;
  const { primaryFamily } = allocators;
  return {
    async beginCreate(context, service, { dryRun }) {
      normalizeClusterIPs(service);
      await allocators.ready(context.signal);
      initIPFamilyFields(allocators, strictAddresses, service);
      return finish(options, service, await allocateAll(allocators, service, { dryRun: isDryRun(dryRun) }));
    },
    async beginUpdate(context, service, stored, { dryRun }) {
      // The status endpoint ignores the spec, so there is nothing to allocate.
      if (isSubresource(context)) return async () => {};
      const old = asRead(stored, primaryFamily);
      patchAllocatedValues(service, old);
      normalizeClusterIPs(service, old);
      await allocators.ready(context.signal);
      initIPFamilyFields(allocators, strictAddresses, service, old);
      return finish(options, service, await updateAll(allocators, { service, old }, { dryRun: isDryRun(dryRun) }));
    },
    async afterDelete(service, { dryRun }) {
      if (!isDryRun(dryRun)) await cleanUp(options, asRead(service, primaryFamily));
    },
    decorate: (service) => asRead(service, primaryFamily),
  };
}

function allocateAll(
  allocators: ServiceAllocators,
  service: Service,
  options: AllocationOptions,
): Promise<Transaction> {
  return transactions([
    () => allocateClusterIPs(allocators, service, options),
    () => allocateNodePorts(allocators, service, options),
  ]);
}

function updateAll(
  allocators: ServiceAllocators,
  change: { readonly service: Service; readonly old: Service },
  options: AllocationOptions,
): Promise<Transaction> {
  return transactions([
    () => updateClusterIPs(allocators, change, options),
    () => updateNodePorts(allocators, change, options),
  ]);
}

/** A failed release neither fails a successful write nor hides the error of a failed one. */
function finish({ onCleanupError }: ServiceStoreOptions, service: Service, transaction: Transaction): FinishHook {
  return async (success) => {
    try {
      await (success ? transaction.commit() : transaction.revert());
    } catch (error) {
      onCleanupError(error, service);
    }
  };
}

/** Never rejects. */
async function cleanUp({ allocators, deleteEndpoints, onCleanupError }: ServiceStoreOptions, service: Service) {
  const { namespace = '', name = '' } = service.metadata;
  const steps = [
    () => deleteEndpoints(namespace, name),
    () => releaseClusterIPs(allocators, service),
    () => releaseNodePorts(allocators, service),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      onCleanupError(error, service);
    }
  }
}

function isDryRun(dryRun: readonly string[] | undefined): boolean {
  return dryRun !== undefined && dryRun.length > 0;
}

function isSubresource({ requestInfo }: VerbContext): boolean {
  return Boolean(requestInfo?.subresource);
}

/**
 * A returned service: one stored before families existed gets the families that it must have had, and one with an
 * external name loses a traffic policy. Returns the same object if nothing changes, otherwise a copy.
 * Upstream: defaultOnReadService of pkg/registry/core/service/storage/storage.go
 */
function asRead(service: Service, primaryFamily: IPFamily): Service {
  const { clusterIP, clusterIPs = [], ipFamilies = [], internalTrafficPolicy } = service.spec;
  const lacksPlural = Boolean(clusterIP) && clusterIPs.length === 0;
  const lacksFamilies = needsClusterIP(service) && ipFamilies.length === 0;
  const hasPolicy = !needsClusterIP(service) && internalTrafficPolicy !== undefined;
  if (!lacksPlural && !lacksFamilies && !hasPolicy) return service;
  const complete = cloneJson(service);
  normalizeClusterIPs(complete);
  if (lacksFamilies) setFamilies(complete, primaryFamily);
  if (hasPolicy) delete complete.spec.internalTrafficPolicy;
  return complete;
}

function setFamilies({ spec }: Service, primaryFamily: IPFamily): void {
  const both = primaryFamily === 'IPv4' ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
  const isSelecting = Object.keys(spec.selector ?? {}).length > 0;
  if (spec.clusterIP === HEADLESS) spec.ipFamilies = isSelecting ? [primaryFamily] : both;
  else spec.ipFamilies = (spec.clusterIPs ?? []).map(ipFamilyOf);
  spec.ipFamilyPolicy = spec.ipFamilies.length === 1 ? 'SingleStack' : 'RequireDualStack';
}
