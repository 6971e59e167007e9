import { EMPTY_SET, type FieldSet } from '../field-set/field-set.js';
import type { Managed } from './managed-entries.js';
import { managerIdentifier } from './manager-identifier.js';
import type { VersionedSet } from './managers.js';

/** Maximum number of managers that do not apply. Upstream: DefaultMaxUpdateManagers */
const MAX_UPDATE_MANAGERS = 10;

/** The manager into which older ones are merged. */
const ANCIENT_CHANGES = 'ancient-changes';

/**
 * Merges the oldest managers that do not apply, version by version, until there are at most 10. The first one of a
 * version only becomes a bucket when a second one joins it.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/capmanagers.go
 */
export function capManagers(managed: Managed): Managed {
  if (managed.managers.size <= MAX_UPDATE_MANAGERS) return managed;
  const updaters = [...managed.managers].filter(([, { applied }]) => !applied).map(([identifier]) => identifier);
  let surplus = updaters.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return managed;
  const managers = new Map(managed.managers);
  const times = new Map(managed.times);
  const firsts = new Map<string, string>();
  const merged = new Map<string, Merge>();
  for (const identifier of oldestFirst(updaters, managed.times)) {
    if (surplus <= 0) break;
    const owned = managers.get(identifier) as VersionedSet;
    const first = firsts.get(owned.apiVersion);
    if (first === undefined) {
      firsts.set(owned.apiVersion, identifier);
      continue;
    }
    const bucket = bucketOf(owned.apiVersion);
    const merge = merged.get(bucket) ?? startMerge(managers, bucket, first);
    merged.set(bucket, merge);
    merge.last = owned;
    merge.sets.push(owned.set);
    if (identifier !== bucket) managers.delete(identifier);
    setTime(times, bucket, managed.times.get(identifier));
    surplus--;
  }
  for (const [bucket, { last, sets }] of merged) managers.set(bucket, { ...last, set: unionOfAll(sets) });
  return { ...managed, managers, times };
}

function oldestFirst(updaters: readonly string[], times: ReadonlyMap<string, string>): readonly string[] {
  const seconds = (identifier: string): number => {
    const time = times.get(identifier);
    return time === undefined ? 0 : Date.parse(time);
  };
  return updaters.toSorted((a, b) => seconds(a) - seconds(b) || (a < b ? -1 : 1));
}

function bucketOf(apiVersion: string): string {
  return managerIdentifier({ manager: ANCIENT_CHANGES, operation: 'Update', apiVersion, subresource: '' });
}

/** The managers of a bucket: their sets, and the last one, whose version the bucket takes. */
interface Merge {
  last: VersionedSet;
  readonly sets: FieldSet[];
}

/** Starts with the bucket or, without one, with the first manager, which the bucket replaces. */
function startMerge(managers: Map<string, VersionedSet>, bucket: string, first: string): Merge {
  const current = managers.get(bucket) ?? (managers.get(first) as VersionedSet);
  if (!managers.has(bucket)) {
    managers.delete(first);
    managers.set(bucket, current);
  }
  return { last: current, sets: [current.set] };
}

/** Unites neighbours until one set is left: thousands of managers one by one would copy the result as often. */
function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  let left = sets;
  while (left.length > 1) {
    const united: FieldSet[] = [];
    for (let i = 0; i < left.length; i += 2) united.push((left[i + 1] ?? EMPTY_SET).union(left[i] ?? EMPTY_SET));
    left = united;
  }
  return left[0] ?? EMPTY_SET;
}

/** The newer of the merged times wins. */
function setTime(times: Map<string, string>, identifier: string, time: string | undefined): void {
  if (time === undefined) times.delete(identifier);
  else times.set(identifier, time);
}
