import type { GetOptions, KubeObject, ResourceVersionMatch } from '@apiserver/apimachinery';
import type { FieldSelector } from '@apiserver/apimachinery/selectors';
import { isDNS1123Label } from '@apiserver/apimachinery/validation';
import type {
  ParsedListOptions,
  ReadRequirement,
  StoredList,
  StoredObject,
  VerbContext,
  WatchSource,
} from '@apiserver/apiserver-contracts';
import { tokenOutside } from '../objects/continue-token.js';
import { shardSelectorOf } from '../sharding/shard-selector-of.js';
import { withAllDigits } from '../storage-error.js';
import { decorated, decoratedList, decoratedWatch } from './decorate.js';
import { storageKey, storagePrefix } from './storage-key.js';
import { interpret, type StoreCore } from './store-core.js';

/** One object. Throws 404. Upstream: Store.Get */
export async function getObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  name: string,
  options: GetOptions,
): Promise<StoredObject<T>> {
  const key = storageKey(core, context, name);
  try {
    const stored = await core.storage({}).get(key, requirementOf(options));
    if (core.hooks.decorate !== undefined) await stored.load?.();
    return decorated(core.hooks.decorate, stored);
  } catch (error) {
    throw interpret(core, context, { error: withAllDigits(error, options.resourceVersion), name, operation: 'get' });
  }
}

/** The objects that the selectors match, a page of them if there is a limit. Upstream: Store.List */
export async function listObjects<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  options: ParsedListOptions,
): Promise<StoredList<T>> {
  const { labelSelector, fieldSelector, limit } = options;
  // A token is below all namespaces, whatever its list selected.
  const selected = options.continue ? undefined : selectedNamespace(context, fieldSelector);
  const prefix = storagePrefix(core, selected ?? context.namespace);
  const shard = options.shardSelector ? await shardSelectorOf(options.shardSelector) : undefined;
  try {
    const list = await core.storage({}).list(prefix, {
      labelSelector,
      fieldSelector,
      ...(shard === undefined ? undefined : { shardSelector: shard }),
      ...requirementOf(options),
      ...(limit === undefined ? undefined : { limit }),
      ...(options.continue === undefined ? undefined : { continue: options.continue }),
    });
    const found = await decoratedList(core.hooks.decorate, list);
    const result =
      selected !== undefined && found.continue ? { ...found, continue: tokenOutside(selected, found.continue) } : found;
    return shard === undefined ? result : { ...result, shardSelector: shard.text };
  } catch (error) {
    throw interpret(core, context, {
      error: withAllDigits(error, options.resourceVersion),
      name: '',
      operation: 'list',
    });
  }
}

/** Watches the objects that the selectors match. Upstream: Store.Watch */
export async function watchObjects<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  options: ParsedListOptions,
): Promise<WatchSource<T>> {
  const { labelSelector, fieldSelector, sendInitialEvents, timeoutSeconds } = options;
  const prefix = storagePrefix(core, selectedNamespace(context, fieldSelector) ?? context.namespace);
  const shard = options.shardSelector ? await shardSelectorOf(options.shardSelector) : undefined;
  try {
    const source = await core.storage({}).watch(prefix, {
      labelSelector,
      fieldSelector,
      ...(shard === undefined ? undefined : { shardSelector: shard }),
      allowBookmarks: options.allowWatchBookmarks ?? false,
      ...requirementOf(options),
      ...(sendInitialEvents === undefined ? undefined : { sendInitialEvents }),
      ...(timeoutSeconds ? { deadline: core.deadlineAfter(timeoutSeconds * 1000) } : undefined),
    });
    return decoratedWatch(core.hooks.decorate, source);
  } catch (error) {
    throw interpret(core, context, { error, name: '', operation: 'watch' });
  }
}

/** The namespace to which a field selector narrows a search of all namespaces. */
function selectedNamespace(context: VerbContext, fieldSelector: FieldSelector): string | undefined {
  if (context.namespace !== '') return undefined;
  const selected = fieldSelector.requiresExactMatch('metadata.namespace');
  return selected !== undefined && isDNS1123Label(selected).length === 0 ? selected : undefined;
}

function requirementOf(options: { resourceVersion?: string; resourceVersionMatch?: string }): ReadRequirement {
  const { resourceVersion, resourceVersionMatch } = options;
  return {
    ...(resourceVersion === undefined ? undefined : { resourceVersion }),
    ...(isMatch(resourceVersionMatch) ? { match: resourceVersionMatch } : undefined),
  };
}

function isMatch(text: string | undefined): text is ResourceVersionMatch {
  return text === 'Exact' || text === 'NotOlderThan';
}
