import type { addPeers, PeerDependencies } from './add-peers.js';

/** The settings of the peer proxy. */
export interface PeerProxying extends Pick<PeerDependencies, 'serverId' | 'ca' | 'endpointOf'> {
  /** From `loadPeers`. */
  readonly add: typeof addPeers;
}

/** Loads the peer proxy, which a server without peers does not need. */
export async function loadPeers(): Promise<PeerProxying['add']> {
  return (await import('./add-peers.js')).addPeers;
}
