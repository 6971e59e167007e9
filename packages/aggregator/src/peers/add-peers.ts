import type { Lease } from '@apiserver/api/coordination/v1';
import type { GenericServer } from '@apiserver/generic-server';
import { createInformer, selectingClient } from '@apiserver/registry-store';
import { PeerProxy, type PeerProxyOptions } from './peer-proxy.js';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const LEASE_NAMESPACE = 'kube-system';
/** Upstream: IdentityLeaseComponentLabelKey of pkg/controlplane/apiserver */
const IDENTITY_LEASES = { labelSelector: 'apiserver.kubernetes.io/identity=kube-apiserver' };

/** Dependencies of `addPeers`. */
export type PeerDependencies = Omit<PeerProxyOptions, 'leases'>;

/**
 * Adds the hooks of the peer proxy to a server. Upstream: pkg/controlplane/apiserver/server.go
 */
export function addPeers(server: GenericServer, dependencies: PeerDependencies): PeerProxy {
  const { clock, random, logger } = dependencies;
  const client = selectingClient(server.loopbackClient.resource<Lease>(LEASES), IDENTITY_LEASES);
  const leases = createInformer({ client, namespace: LEASE_NAMESPACE, clock, random, logger });
  server.disposables.use(leases);
  const peers = new PeerProxy({ ...dependencies, leases });
  server.addPostStartHook('local-discovery-cache-sync', () => peers.readServed());
  server.addPostStartHook('peer-discovery-cache-sync', ({ signal }) => peers.run(signal));
  server.addPostStartHook('mixed-version-proxy-handler', ({ signal }) => peers.synced(signal));
  return peers;
}
