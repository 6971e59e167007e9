import { Endpoints } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import { isKeyNotFound } from '@apiserver/registry-store';
import { unservedResource } from '../unserved-resource.js';

/**
 * Under what a server's lease is stored: an Endpoints object with its address, which no API serves.
 * Upstream: /masterleases/ of pkg/controlplane/reconcilers/lease.go
 */
export const masterLeaseStorage: ResourceDefinition<Endpoints> = /* @__PURE__ */ unservedResource<Endpoints>({
  versions: [{ schema: Endpoints }],
  keyPrefix: 'masterleases',
});

/** The servers that live, as they say themselves. Upstream: Leases of pkg/controlplane/reconcilers/lease.go */
export interface MasterLeases {
  /** The address of every server whose lease has not run out, in order. */
  list(): Promise<readonly string[]>;
  /** Lets the lease of an address begin anew. */
  update(address: string): Promise<void>;
  /** Ends a lease; false if there was none. */
  remove(address: string): Promise<boolean>;
}

/** Leases that run out after `seconds`, in the storage of `masterLeaseStorage`. */
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

/** The generation counts, because a lease that changes nothing would not be written. */
function renewed(current: Endpoints | undefined, address: string): Endpoints {
  const lease: Endpoints = current === undefined ? newLease(address) : cloneJson(current);
  delete lease.metadata.resourceVersion;
  lease.metadata.generation = (lease.metadata.generation ?? 0) + 1;
  lease.subsets = [{ addresses: [{ ip: address }] }];
  return lease;
}

function newLease(address: string): Endpoints {
  return { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: address } };
}
