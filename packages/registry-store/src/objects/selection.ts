import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldSelector, Fields, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { StorageListOptions } from '@apiserver/apiserver-contracts';
import type { StoredEntry } from './stored-entry.js';

/** The entries that a list or watch selects. */
export interface Selection {
  /** True if everything is selected. */
  readonly empty: boolean;
  /** The only name and namespace that can match, if the field selector determines them. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  matches<T extends KubeObject>(entry: StoredEntry<T>): boolean;
}

/** Upstream: k8s.io/apiserver/pkg/storage.SelectionPredicate */
export function selectionOf(
  options: { readonly labelSelector: LabelSelector; readonly fieldSelector: FieldSelector },
  { indexedField }: { readonly indexedField?: string },
): Selection {
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
