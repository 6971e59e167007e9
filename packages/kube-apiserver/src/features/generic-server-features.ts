import type { FeatureGates } from '@apiserver/apiserver-contracts';
import type { ServerFeatures } from '@apiserver/generic-server';

/** The gates that change every server of the chain. */
export function serverFeatures(gate: FeatureGates): ServerFeatures {
  return {
    shardedLists: gate.enabled('ShardedListAndWatch'),
    watchList: gate.enabled('WatchList'),
    responseCompression: gate.enabled('APIResponseCompression'),
    constrainedImpersonation: gate.enabled('ConstrainedImpersonation'),
    unauthenticatedHttp2Mitigation: gate.enabled('UnauthenticatedHTTP2DOSMitigation'),
  };
}
