import type { FeatureGates } from '@apiserver/apiserver-contracts';
import type { EndpointFeatures } from '@apiserver/endpoints-installer';

/** The gates that change the endpoints of all resources. */
export function endpointFeatures(gate: FeatureGates): EndpointFeatures {
  return {
    shardedLists: gate.enabled('ShardedListAndWatch'),
    watchList: gate.enabled('WatchList'),
  };
}
