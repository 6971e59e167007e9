import type { StoredList } from '@apiserver/apiserver-contracts';

/** ListMeta as Go writes it for typed lists. Tables and partial metadata do not say which shard they are. */
export function typedListMeta(list: StoredList): string {
  const fields: string[] = [];
  if (list.resourceVersion !== '') fields.push(`"resourceVersion":${JSON.stringify(list.resourceVersion)}`);
  if (list.continue) fields.push(`"continue":${JSON.stringify(list.continue)}`);
  if (list.remainingItemCount !== undefined) fields.push(`"remainingItemCount":${list.remainingItemCount}`);
  return `{${fields.join(',')}}`;
}

/** The same with the shard. Upstream: SetShardInfoOnList of k8s.io/apiserver/pkg/storage/selection_predicate.go */
export function shardedListMeta(list: StoredList): string {
  const meta = typedListMeta(list);
  if (list.shardSelector === undefined) return meta;
  return `${meta.slice(0, -1)},"shardInfo":{"selector":${JSON.stringify(list.shardSelector)}}}`;
}

/** The same in CBOR. */
export function shardedCborListMeta(list: StoredList): object {
  const { shardSelector: selector } = list;
  return { ...typedCborListMeta(list), ...(selector !== undefined && { shardInfo: { selector } }) };
}

/** ListMeta of lists of custom resources: keys are sorted, and `continue` is always there. */
export function structuralListMeta(list: StoredList): string {
  const remaining = list.remainingItemCount === undefined ? '' : `"remainingItemCount":${list.remainingItemCount},`;
  const resourceVersion = JSON.stringify(list.resourceVersion);
  return `{"continue":${JSON.stringify(list.continue ?? '')},${remaining}"resourceVersion":${resourceVersion}}`;
}

/** ListMeta of typed lists in CBOR: empty fields are left out. */
export function typedCborListMeta({ resourceVersion, continue: token, remainingItemCount }: StoredList): object {
  return {
    ...(resourceVersion !== '' && { resourceVersion }),
    ...(token && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}

/** ListMeta of lists of custom resources in CBOR: `continue` is always there. */
export function structuralCborListMeta(list: StoredList): object {
  return { continue: '', resourceVersion: list.resourceVersion, ...typedCborListMeta(list) };
}
