/** Marks a request that a peer has passed on, which must be served here. Upstream: PeerProxiedHeader */
export const PEER_PROXIED = 'x-kubernetes-peer-proxied';
