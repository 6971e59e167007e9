/** The service that holds an address. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
}

/** Values of `spec.ipFamilies` of a Service. */
export type IPFamily = 'IPv4' | 'IPv6';

/** Options of an allocation. */
export interface AllocationOptions {
  /** A trial: nothing is taken. */
  readonly dryRun: boolean;
}

/**
 * Allocates addresses of one family. A dry run allocates nothing. Each method throws AllocationError, with upstream's
 * message, for an invalid address or a full range.
 * Upstream: pkg/registry/core/service/ipallocator.Interface
 */
export interface ClusterIPAllocator {
  /** Allocates the given address, in canonical form. */
  allocate(address: string, service: ServiceReference, options: AllocationOptions): Promise<void>;
  /** Allocates any free address and returns it in canonical form. */
  allocateNext(service: ServiceReference, options: AllocationOptions): Promise<string>;
  /** Releases an address; one that is not allocated or out of range is no error. */
  release(address: string): Promise<void>;
}

/** Upstream: pkg/registry/core/service/portallocator.Interface */
export interface NodePortAllocator {
  allocate(port: number): Promise<void>;
  allocateNext(): Promise<number>;
  release(port: number): Promise<void>;
  /** Reports whether the port is allocated. */
  has(port: number): boolean;
}

/** The allocators of a server's services. Upstream: Allocators of pkg/registry/core/service/storage/alloc.go */
export interface ServiceAllocators {
  /** The family of the first range, which is the default. */
  readonly primaryFamily: IPFamily;
  /** One allocator per range: one family, or both. */
  readonly clusterIPs: ReadonlyMap<string, ClusterIPAllocator>;
  readonly nodePorts: NodePortAllocator;
  /** Resolves when the ranges and allocations are known; awaited before each allocation. */
  ready(signal: AbortSignal): Promise<void>;
}

/** An address or port that cannot be allocated. Recognised by `isAllocationError`. */
export class AllocationError extends Error {
  readonly isAllocationError = true;
  override readonly name = 'AllocationError';
}

/** Checks a brand: a process may have several copies of this package. */
export function isAllocationError(error: unknown): error is AllocationError {
  return error instanceof Error && 'isAllocationError' in error && error.isAllocationError === true;
}
