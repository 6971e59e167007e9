import type { PeerProxying } from '@apiserver/aggregator';
import { ParseError } from '@apiserver/apimachinery/text';
import { atoiFault, parseInt64 } from '@apiserver/apimachinery/values';
import {
  apiServerID,
  type PeerEndpointLeases,
  peerEndpointController,
  peerLeaseStorage,
  storedPeerEndpointLeases,
} from '@apiserver/controlplane';
import type { GenericServer } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import type { AdvertisedAddress } from '../options/peer-options.js';
import { afterReadiness } from './after-readiness.js';

/** Upstream: DefaultPeerEndpointReconcilerTTL of pkg/controlplane/apiserver/peer.go */
const LEASE_SECONDS = 15;

/** Publishes the address of this server for other ones, unless its store has no other servers. */
export function addPeerEndpoint(server: GenericServer, config: CompletedKubeApiServerConfig): void {
  const { generic, hostname, peers } = config;
  if (!peers.publishesAddress) return;
  const { clock, signals } = generic;
  const controller = peerEndpointController({
    id: apiServerID(hostname),
    endpoint: async () => {
      const { ip, port } = await ownAddress(config);
      return { hostname: ip, port: goNumber(port) };
    },
    leases: leasesOf(config),
    whenReady: () => afterReadiness(signals),
    clock,
    logger: generic.logger.named('peers'),
  });
  server.addPostStartHook(controller.name, (context) => controller.run(context));
  server.addPreShutdownHook(controller.name, () => controller.stop());
}

/** Undefined without the gate. Upstream: labelAPIServerHeartbeatFunc */
export function peerAddressOf(config: CompletedKubeApiServerConfig): (() => Promise<string>) | undefined {
  if (!config.resources.features.enabled('UnknownVersionInteroperabilityProxy')) return undefined;
  return async () => {
    const { ip, port } = await ownAddress(config);
    return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
  };
}

/** The settings of the proxy to peers; undefined without `--peer-ca-file`. */
export function peerProxyingOf(config: CompletedKubeApiServerConfig): PeerProxying | undefined {
  const { proxy } = config.peers;
  if (proxy === undefined) return undefined;
  const leases = leasesOf(config);
  return {
    ...proxy,
    serverId: apiServerID(config.hostname),
    endpointOf: (serverId) => leases.endpointOf(serverId),
  };
}

function leasesOf({ storage }: CompletedKubeApiServerConfig): PeerEndpointLeases {
  return storedPeerEndpointLeases(storage.provider.storageFor(peerLeaseStorage), LEASE_SECONDS);
}

/** Upstream: getPeerAddress */
async function ownAddress({ generic, peers, services }: CompletedKubeApiServerConfig): Promise<AdvertisedAddress> {
  if (peers.advertised !== undefined) return peers.advertised;
  const { port } = await generic.signals.listening.signaled;
  return { ip: services.publicAddress, port: String(services.publicPort || port) };
}

/** Throws a ParseError, which is logged as often as the address is published. Upstream: strconv.Atoi */
function goNumber(text: string): number {
  const number = parseInt64(text);
  if (number === undefined) throw new ParseError(atoiFault(text));
  return Number(number);
}
