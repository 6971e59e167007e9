import { Endpoints } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { increment } from '@apiserver/apimachinery/values';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import { isKeyNotFound } from '@apiserver/registry-store';
import { unservedResource } from '../unserved-resource.js';

/**
 * Storage of the servers' leases: Endpoints objects with an address, which no API serves.
 * Upstream: /masterleases/ of pkg/controlplane/reconcilers/lease.go
 */
export const masterLeaseStorage: ResourceDefinition<Endpoints> = /* @__PURE__ */ unservedResource<Endpoints>({
  versions: [{ schema: Endpoints }],
  keyPrefix: 'masterleases',
});

/** The leases of live servers. Upstream: Leases of pkg/controlplane/reconcilers/lease.go */
export interface MasterLeases {
  /** The address of every server with a valid lease, sorted. */
  list(): Promise<readonly string[]>;
  /** Renews the lease of an address. */
  update(address: string): Promise<void>;
  /** Ends a lease; false if there was none. */
  remove(address: string): Promise<boolean>;
}

/** Leases that expire after `seconds`, in the storage of `masterLeaseStorage`. */
export function storedMasterLeases(storage: Storage<Endpoints>, seconds: number): MasterLeases {
  return {
    async list() {
      const { items } = await storage.list('', {
        labelSelector: everythingSelector,
        fieldSelector: everythingFieldSelector,
      });
      return items.flatMap(({ object }) => object.subsets?.[0]?.addresses?.[0]?.ip ?? []);
    },
    async update(address) {
      await storage.guaranteedUpdate(address, {}, async (current) => ({
        object: renewed(current?.object, address),
        ttl: seconds,
      }));
    },
    async remove(address) {
      try {
        await storage.delete(address, {}, async () => {});
        return true;
      } catch (error) {
        if (isKeyNotFound(error)) return false;
        throw error;
      }
    },
  };
}

/** Changes the generation, because an unchanged lease would not be written. */
function renewed(current: Endpoints | undefined, address: string): Endpoints {
  const lease: Endpoints = current === undefined ? newLease(address) : cloneJson(current);
  delete lease.metadata.resourceVersion;
  lease.metadata.generation = increment(lease.metadata.generation);
  lease.subsets = [{ addresses: [{ ip: address }] }];
  return lease;
}

function newLease(address: string): Endpoints {
  return { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: address } };
}
