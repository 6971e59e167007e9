/** The features of endpoints that a server can switch. */
export interface EndpointFeatures {
  /** Lists and watches are restricted by `shardSelector`. Upstream feature gate: ShardedListAndWatch */
  readonly shardedLists: boolean;
  /** Watches begin with the state if a client asks for that. Upstream feature gate: WatchList */
  readonly watchList: boolean;
}

/** Upstream's defaults. */
export const DEFAULT_FEATURES: EndpointFeatures = { shardedLists: false, watchList: true };
