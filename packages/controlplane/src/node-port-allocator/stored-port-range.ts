import { RangeAllocation } from '@apiserver/api/core/v1';
import { newConflict } from '@apiserver/apimachinery/errors';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import { isKeyNotFound } from '@apiserver/registry-store';
import { unservedResource } from '../unserved-resource.js';

/** Upstream: servicenodeportallocations of pkg/registry/core/rest */
const RESOURCE = 'servicenodeportallocations';
const KEY = 'servicenodeports';

/**
 * Storage of the allocated node ports of all servers: one object that no API serves. Upstream:
 * /ranges/servicenodeports
 */
export const portRangeStorage: ResourceDefinition<RangeAllocation> = /* @__PURE__ */ unservedResource<RangeAllocation>({
  resource: RESOURCE,
  versions: [{ schema: RangeAllocation }],
  keyPrefix: 'ranges',
});

/** A port range with its allocated ports. */
export interface PortRangeSnapshot {
  /** Output of `formatPortRange`. */
  readonly range: string;
  /** Output of `PortBitmap.toBase64`. */
  readonly data: string;
}

/** A snapshot with its version. */
export interface StoredPortRange extends PortRangeSnapshot {
  readonly resourceVersion: string;
}

/**
 * The one object that all servers of a store share.
 * Upstream: Etcd of pkg/registry/core/service/allocator/storage/storage.go
 */
export interface PortRangeRegistry {
  /** Undefined until a server has written it. */
  read(): Promise<StoredPortRange | undefined>;
  /**
   * Changes the stored snapshot. `change` is called again after a conflict, and may throw. Rejects if nothing is
   * stored.
   */
  update(change: (stored: PortRangeSnapshot) => PortRangeSnapshot): Promise<void>;
  /** Replaces the snapshot that was read. Throws 409 if it has changed. */
  replace(read: StoredPortRange | undefined, snapshot: PortRangeSnapshot): Promise<void>;
}

/** Uses the storage of `portRangeStorage`. */
export function storedPortRange(storage: Storage<RangeAllocation>): PortRangeRegistry {
  return {
    async read() {
      try {
        const { object, resourceVersion } = await storage.get(KEY, {});
        return { ...snapshotOf(object), resourceVersion };
      } catch (error) {
        if (isKeyNotFound(error)) return undefined;
        throw error;
      }
    },
    async update(change) {
      await storage.guaranteedUpdate(KEY, {}, async (current) => {
        if (current === undefined) throw new Error(`cannot allocate resources of type ${RESOURCE} at this time`);
        return { object: objectOf(change(snapshotOf(current.object))) };
      });
    },
    async replace(read, snapshot) {
      await storage.guaranteedUpdate(KEY, {}, async (current) => {
        if (current?.resourceVersion !== read?.resourceVersion) throw conflict(read);
        return { object: objectOf(snapshot) };
      });
    },
  };
}

function conflict(read: StoredPortRange | undefined): Error {
  const reason =
    read === undefined
      ? 'another caller has already initialized the resource'
      : 'the provided resource version does not match';
  return newConflict({ group: '', resource: RESOURCE }, '', reason);
}

function snapshotOf({ range, data }: RangeAllocation): PortRangeSnapshot {
  return { range, data: data ?? '' };
}

function objectOf({ range, data }: PortRangeSnapshot): RangeAllocation {
  return { apiVersion: 'v1', kind: 'RangeAllocation', metadata: {}, range, data };
}
