import { Endpoints } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { increment } from '@apiserver/apimachinery/values';
import type { ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import { isKeyNotFound } from '@apiserver/registry-store';
import { unservedResource } from '../unserved-resource.js';

/** Names the server of a lease. Upstream: APIServerIdentityLabel of k8s.io/apiserver/pkg/reconcilers */
const IDENTITY_LABEL = 'apiserverIdentity';

/** Where other kube-apiservers reach one of them. */
export interface PeerEndpoint {
  readonly hostname: string;
  readonly port: number;
}

/**
 * Storage of the addresses of kube-apiservers for each other: Endpoints objects, which no API serves.
 * Upstream: /peerserverleases/ of pkg/controlplane/apiserver/peer.go
 */
export const peerLeaseStorage: ResourceDefinition<Endpoints> = /* @__PURE__ */ unservedResource<Endpoints>({
  versions: [{ schema: Endpoints }],
  keyPrefix: 'peerserverleases',
});

/** The addresses of live servers, by the identity of `apiServerID`. */
export interface PeerEndpointLeases {
  /** Undefined for a server without a valid lease. */
  endpointOf(serverId: string): Promise<PeerEndpoint | undefined>;
  /** Renews the lease of a server. */
  update(serverId: string, endpoint: PeerEndpoint): Promise<void>;
  /** Ends a lease if there is one. */
  remove(serverId: string): Promise<void>;
}

/**
 * Leases that expire after `seconds`, in the storage of `peerLeaseStorage`.
 * Upstream: k8s.io/apiserver/pkg/reconcilers/peer_endpoint_lease.go
 */
export function storedPeerEndpointLeases(storage: Storage<Endpoints>, seconds: number): PeerEndpointLeases {
  return {
    async endpointOf(serverId) {
      const lease = await unlessMissing(storage.get(serverId, {}));
      const { addresses, ports } = lease?.object.subsets?.[0] ?? {};
      const hostname = addresses?.[0]?.ip;
      const port = ports?.[0]?.port;
      return hostname && port ? { hostname, port } : undefined;
    },
    async update(serverId, endpoint) {
      await storage.guaranteedUpdate(serverId, {}, async (current) => ({
        object: renewed(current?.object, serverId, endpoint),
        ttl: seconds,
      }));
    },
    async remove(serverId) {
      await unlessMissing(storage.delete(serverId, {}, async () => {}));
    },
  };
}

async function unlessMissing<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isKeyNotFound(error)) return undefined;
    throw error;
  }
}

/** Changes the generation, because an unchanged lease would not be written. */
function renewed(current: Endpoints | undefined, serverId: string, { hostname, port }: PeerEndpoint): Endpoints {
  const lease: Endpoints =
    current === undefined ? { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: serverId } } : cloneJson(current);
  delete lease.metadata.resourceVersion;
  lease.metadata.generation = increment(lease.metadata.generation);
  lease.metadata.labels = { ...lease.metadata.labels, [IDENTITY_LABEL]: serverId };
  lease.subsets = [{ addresses: [{ ip: hostname }], ports: [{ name: 'https', port, protocol: 'TCP' }] }];
  return lease;
}
