import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldSelector, Fields, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { ShardSelector, StorageListOptions } from '@apiserver/apiserver-contracts';
import type { StoredEntry } from './stored-entry.js';

/** The entries that a list or watch selects. */
export interface Selection {
  /** True if everything is selected. */
  readonly empty: boolean;
  /**
   * True if the rest of a page is counted: without labels and fields to select by, even if shards are selected.
   * Upstream: PrepareContinueToken of k8s.io/apiserver/pkg/storage/continue.go
   */
  readonly countsRest: boolean;
  /** The only name and namespace that can match, if the field selector determines them. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  matches<T extends KubeObject>(entry: StoredEntry<T>): boolean;
}

/** The selectors of a list or watch. */
export interface Selectors {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  readonly shardSelector?: ShardSelector;
}

/**
 * `outsideShard` is called for each entry that the shard selector excludes.
 * Upstream: k8s.io/apiserver/pkg/storage.SelectionPredicate
 */
export function selectionOf(
  options: Selectors,
  kind: { readonly indexedField?: string },
  outsideShard?: () => void,
): Selection {
  const selection = labelsAndFields(options, kind);
  const { shardSelector } = options;
  return shardSelector === undefined ? selection : inShard(selection, shardSelector, outsideShard);
}

function inShard(selection: Selection, shard: ShardSelector, outside?: () => void): Selection {
  const { name, namespace, empty } = selection;
  return {
    name,
    namespace,
    empty: false,
    countsRest: empty,
    matches: (entry) => {
      const value = shard.field === 'uid' ? entry.uid : entry.namespace;
      if (shard.matches(value)) return selection.matches(entry);
      outside?.();
      return false;
    },
  };
}

function labelsAndFields(options: Selectors, { indexedField }: { readonly indexedField?: string }): Selection {
  const { labelSelector: labels, fieldSelector: fields } = options;
  const others = fields.requirements.filter(({ field }) => field !== 'metadata.name' && field !== 'metadata.namespace');
  const byKeyAlone = others.length === 0;
  const unparsed = others.every(({ field }) => field === indexedField);
  const fieldsOf = <T extends KubeObject>(entry: StoredEntry<T>): Fields => {
    if (byKeyAlone) return entry.metadataFields;
    return unparsed ? entry.unparsedFields : entry.fields;
  };
  return {
    empty: labels.empty && fields.empty,
    countsRest: labels.empty && fields.empty,
    name: fields.requiresExactMatch('metadata.name'),
    namespace: fields.requiresExactMatch('metadata.namespace'),
    matches: (entry) =>
      (labels.empty || labels.matches(entry.labels)) && (fields.empty || fields.matches(fieldsOf(entry))),
  };
}

/**
 * The only name that a list can have. Undefined if it may have others, or that name in several namespaces, or continues
 * at another. Upstream: SelectionPredicate.MatchesSingle
 */
export function onlyName(
  { namespaced }: { readonly namespaced: boolean },
  prefix: string,
  { fieldSelector: fields, continue: token }: Pick<StorageListOptions, 'fieldSelector' | 'continue'>,
): string | undefined {
  if (fields.empty || token || (namespaced && prefix === '')) return undefined;
  return fields.requiresExactMatch('metadata.name') || undefined;
}
