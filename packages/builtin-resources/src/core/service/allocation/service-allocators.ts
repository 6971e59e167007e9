/** The service that holds an address. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
}

/** As `spec.ipFamilies` of a Service has them. */
export type IPFamily = 'IPv4' | 'IPv6';

/**
 * Addresses of one family. A dry run takes nothing.
 * All throw AllocationError, with upstream's text, where the address or the range is at fault.
 * Upstream: pkg/registry/core/service/ipallocator.Interface
 */
export interface ClusterIPAllocator {
  /** Takes that address, in canonical form. */
  allocate(address: string, service: ServiceReference, dryRun: boolean): Promise<void>;
  /** Takes any free address and answers it, in canonical form. */
  allocateNext(service: ServiceReference, dryRun: boolean): Promise<string>;
  /** Gives an address back; one that is not taken, or not of the range, is no error. */
  release(address: string): Promise<void>;
}

/** Upstream: pkg/registry/core/service/portallocator.Interface */
export interface NodePortAllocator {
  allocate(port: number): Promise<void>;
  allocateNext(): Promise<number>;
  release(port: number): Promise<void>;
  /** Whether the port is taken. */
  has(port: number): boolean;
}

/** Where a server's services get their addresses and node ports from. Upstream: Allocators of pkg/registry/core/service/storage/alloc.go */
export interface ServiceAllocators {
  /** Of the first range; services that name no family get it. */
  readonly primaryFamily: IPFamily;
  /** One allocator for each range of the server: one family, or both. */
  readonly clusterIPs: ReadonlyMap<string, ClusterIPAllocator>;
  readonly nodePorts: NodePortAllocator;
  /** Resolves when it is known where addresses come from and which are taken; asked before each allocation. */
  ready(signal: AbortSignal): Promise<void>;
}

/** An address or port that cannot be had. Recognised by `isAllocationError`. */
export class AllocationError extends Error {
  readonly isAllocationError = true;
  override readonly name = 'AllocationError';
}

/** By brand: copies of this package may meet in one process. */
export function isAllocationError(error: unknown): error is AllocationError {
  return error instanceof Error && 'isAllocationError' in error && error.isAllocationError === true;
}
