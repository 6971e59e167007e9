import { plainFailure } from '@apiserver/apimachinery/errors';
import { isParseError } from '@apiserver/apimachinery/text';
import type { ShardSelector } from '@apiserver/apiserver-contracts';

/**
 * The shard selector of a list or watch. Rejects with a plain 500 for an invalid one, as upstream. Loads the parser of
 * expressions at its first use.
 * Upstream: Store.ListPredicate and Store.Watch of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export async function shardSelectorOf(text: string): Promise<ShardSelector> {
  const { parseShardSelector } = await import('./parse-shard-selector.js');
  try {
    return parseShardSelector(text);
  } catch (error) {
    throw isParseError(error) ? plainFailure(500, `invalid shard selector: ${error.message}`) : error;
  }
}
