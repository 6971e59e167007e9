import type { Service } from '@apiserver/api/core/v1';
import { newInternalError, newInvalid } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { formatIPAddress, parseIPAddress } from '@apiserver/apimachinery/values';
import { ipFamilyOf } from '../cluster-ip-validation.js';
import { isHeadless, needsClusterIP } from '../service-traits.js';
import { isSettledPreferDualStack } from './ip-family-fields.js';
import {
  type AllocationOptions,
  isAllocationError,
  type ServiceAllocators,
  type ServiceReference,
} from './service-allocators.js';
import { afterReverting, forAll, type Transaction } from './transaction.js';

type ClusterIPAllocators = Pick<ServiceAllocators, 'clusterIPs'>;

/** An allocated address, by family. */
type Held = ReadonlyMap<string, string>;
const NOTHING: Held = new Map();

/** Allocates the addresses of a new service, and sets those that it did not request. Mutates `service`. */
export async function allocateClusterIPs(
  allocators: ClusterIPAllocators,
  service: Service,
  options: AllocationOptions,
): Promise<Transaction> {
  return transaction(allocators, { taken: await takeAll(allocators, service, options), left: NOTHING, ...options });
}

/**
 * Allocates and releases addresses after a change to or from ExternalName, or of the second family. Mutates
 * `service`.
 * Upstream: updateClusterIPs of pkg/registry/core/service/storage/alloc.go
 */
export async function updateClusterIPs(
  allocators: ClusterIPAllocators,
  { service, old }: { readonly service: Service; readonly old: Service },
  options: AllocationOptions,
): Promise<Transaction> {
  const unchanged = { taken: NOTHING, left: NOTHING, ...options };
  if (isSettledPreferDualStack(service, old)) return transaction(allocators, unchanged);
  if (!needsClusterIP(old) && needsClusterIP(service)) return allocateClusterIPs(allocators, service, options);
  if (isHeadless(old)) return transaction(allocators, unchanged);
  if (needsClusterIP(old) && !needsClusterIP(service)) {
    return transaction(allocators, { ...unchanged, left: heldBy(old) });
  }
  const before = old.spec.ipFamilies ?? [];
  const after = service.spec.ipFamilies ?? [];
  if (before.length === 1 && after.length === 2) {
    return transaction(allocators, { ...unchanged, taken: await takeSecond(allocators, service, options) });
  }
  if (before.length === 2 && after.length === 1) {
    const second = [...heldBy(old)].slice(1);
    return transaction(allocators, { ...unchanged, left: new Map(second) });
  }
  return transaction(allocators, unchanged);
}

/** Releases the addresses of a deleted service. */
export async function releaseClusterIPs(allocators: ClusterIPAllocators, service: Service): Promise<void> {
  if (needsClusterIP(service) && !isHeadless(service)) await release(allocators, heldBy(service));
}

function heldBy({ spec }: Service): Held {
  return new Map((spec.clusterIPs ?? []).map((address) => [ipFamilyOf(address), address]));
}

async function release({ clusterIPs }: ClusterIPAllocators, held: Held): Promise<void> {
  await forAll(held, async ([family, address]) => clusterIPs.get(family)?.release(canonical(address)));
}

function transaction(
  allocators: ClusterIPAllocators,
  change: { readonly taken: Held; readonly left: Held; readonly dryRun: boolean },
): Transaction {
  const { taken, left, dryRun } = change;
  return {
    commit: async () => (dryRun ? undefined : release(allocators, left)),
    revert: async () => (dryRun ? undefined : release(allocators, taken)),
  };
}

/** One address for each family: the requested one, or any. */
async function takeAll(allocators: ClusterIPAllocators, service: Service, options: AllocationOptions): Promise<Held> {
  const { spec } = service;
  if (!needsClusterIP(service) || isHeadless(service)) return NOTHING;
  const wanted = (spec.ipFamilies ?? []).map((family, i) => [family, spec.clusterIPs?.[i] ?? ''] as const);
  const taken = await take(allocators, service, wanted, options);
  const addresses = wanted.map(([family]) => taken.get(family) ?? '');
  const [first] = addresses;
  if (first === undefined) return taken;
  spec.clusterIP = first;
  spec.clusterIPs = addresses;
  return taken;
}

async function takeSecond(
  allocators: ClusterIPAllocators,
  service: Service,
  options: AllocationOptions,
): Promise<Held> {
  const { spec } = service;
  const [first = '', second = ''] = spec.clusterIPs ?? [];
  const family = spec.ipFamilies?.[1] ?? '';
  const taken = await take(allocators, service, [[family, second]], options);
  spec.clusterIPs = [first, taken.get(family) ?? ''];
  return taken;
}

type Wanted = readonly (readonly [family: string, address: string])[];

/** Allocates all or none. */
async function take(
  allocators: ClusterIPAllocators,
  service: Service,
  wanted: Wanted,
  options: AllocationOptions,
): Promise<Map<string, string>> {
  const taken = new Map<string, string>();
  try {
    for (const [family, address] of wanted) {
      taken.set(family, await takeOne(allocators, service, [family, address], options));
    }
    return taken;
  } catch (error) {
    throw await afterReverting(error, async () => (options.dryRun ? undefined : release(allocators, taken)));
  }
}

async function takeOne(
  { clusterIPs }: ClusterIPAllocators,
  service: Service,
  [family, address]: Wanted[number],
  options: AllocationOptions,
): Promise<string> {
  const allocator = clusterIPs.get(family);
  if (allocator === undefined) throw new TypeError(`no range of family ${family}, which validation refuses`);
  try {
    if (address === '') return await allocator.allocateNext(referenceTo(service), options);
    await allocator.allocate(canonical(address), referenceTo(service), options);
    return address;
  } catch (error) {
    throw isAllocationError(error) ? refusal(service, address, error) : error;
  }
}

function refusal({ metadata, spec }: Service, address: string, error: Error): Error {
  if (address === '') return newInternalError(new Error(`failed to allocate a serviceIP: ${error.message}`));
  const detail = `failed to allocate IP ${address}: ${error.message}`;
  const fault = fieldInvalid(FieldPath.of('spec', 'clusterIPs'), spec.clusterIPs, detail);
  return newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', [fault]);
}

function referenceTo({ metadata }: Service): ServiceReference {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** The canonical form, as in allocators: a service may use another form. */
function canonical(address: string): string {
  const parsed = parseIPAddress(address);
  return parsed === undefined ? address : formatIPAddress(parsed.bytes);
}
