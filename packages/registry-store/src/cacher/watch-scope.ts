import type { KubeObject } from '@apiserver/apimachinery';
import type { StorageWatchOptions } from '@apiserver/apiserver-contracts';
import { selectionOf } from '../objects/selection.js';
import type { EntryKind } from '../objects/stored-entry.js';
import type { WatchScope } from './watcher-index.js';

/**
 * The keys that a watch below a relative prefix ("" or "namespace/") may want, as far as its selectors determine them.
 */
export function watchScopeOf<T extends KubeObject>(
  kind: EntryKind<T>,
  prefix: string,
  options: StorageWatchOptions,
): WatchScope {
  const selection = selectionOf(options, kind);
  const namespace = prefix === '' ? (selection.namespace ?? '') : prefix.slice(0, -1);
  const { namespaced, indexedField } = kind;
  const indexed = indexedField === undefined ? undefined : options.fieldSelector.requiresExactMatch(indexedField);
  const scope = { namespace: namespaced ? namespace : '', name: selection.name ?? '' };
  return indexed === undefined ? scope : { ...scope, indexed };
}
