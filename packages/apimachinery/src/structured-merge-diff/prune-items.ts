import { atOnce } from '../clock/at-once.js';
import type { FieldSet } from './field-set/field-set.js';
import { EMPTY_SET } from './field-set/field-set.js';
import type { Managers, VersionedSet } from './managed-fields/managers.js';
import { withNamedFields } from './typed/named-fields.js';
import { removeItems } from './typed/remove-items.js';
import { toFieldSetInSteps } from './typed/to-field-set.js';
import { convert, type MergeContext, type TypedValue } from './typed/typed-value.js';

/** The applier, its previous set, and all managers with its current set. */
export interface Pruning {
  readonly managers: Managers;
  readonly manager: string;
  readonly last: VersionedSet;
}

/**
 * Removes from a merged value what its applier owned and no longer mentions, unless another manager owns it. Returns
 * the value itself if the version of the last apply no longer exists.
 *
 * Upstream: Updater.prune in sigs.k8s.io/structured-merge-diff/v6/merge/update.go
 */
export function pruneItems(context: MergeContext, merged: TypedValue, pruning: Pruning): TypedValue {
  return dropsNothing(merged, pruning) ? merged : atOnce(pruneSteps(context, merged, pruning));
}

/** The same in steps. */
export function* pruneItemsInSteps(
  context: MergeContext,
  merged: TypedValue,
  pruning: Pruning,
): Generator<void, TypedValue> {
  return dropsNothing(merged, pruning) ? merged : yield* pruneSteps(context, merged, pruning);
}

function* pruneSteps(context: MergeContext, merged: TypedValue, pruning: Pruning): Generator<void, TypedValue> {
  const { managers, manager, last } = pruning;
  const before = convert(context, merged, last.apiVersion);
  if (before === undefined) return merged;
  yield;
  const pruned = withoutFields(before, last.set);
  yield;
  const owned = yield* addBackOwned(context, { merged: before, pruned }, { managers, manager, last });
  const dangling = yield* addBackDangling(context, before, owned, last);
  const { apiVersion } = managers.get(manager) ?? last;
  return convert(context, dangling, apiVersion) ?? dangling;
}

// The functions below keep no set that a later step does not need: each may take as much memory as the object.

function withoutFields(value: TypedValue, fields: FieldSet): TypedValue {
  const { type } = value;
  return { ...value, value: removeItems(type, value.value, withNamedFields(fields, type)) };
}

/**
 * Reports whether the applier still mentions everything it owned, as nearly always: then all removed items would be
 * added back. Only where all sets are in one version.
 */
function dropsNothing(merged: TypedValue, { managers, manager, last }: Pruning): boolean {
  const own = managers.get(manager);
  if (own === undefined || merged.apiVersion !== last.apiVersion) return false;
  for (const { apiVersion } of managers.values()) if (apiVersion !== last.apiVersion) return false;
  return last.set.isWithin(own.set);
}

interface PrunedPair {
  readonly merged: TypedValue;
  readonly pruned: TypedValue;
}

/**
 * Adds back what any manager owns now, version by version, starting with that of the last apply. Upstream:
 * addBackOwnedItems
 */
function* addBackOwned(
  context: MergeContext,
  pair: PrunedPair,
  { managers, last }: Pruning,
): Generator<void, TypedValue> {
  const byVersion = new Map<string, FieldSet>([[last.apiVersion, EMPTY_SET]]);
  for (const { apiVersion, set } of managers.values()) {
    byVersion.set(apiVersion, (byVersion.get(apiVersion) ?? EMPTY_SET).union(set));
    yield;
  }
  let current = pair;
  for (const [apiVersion, managed] of byVersion) {
    if (!managed.empty) current = yield* addBackOwnedIn(context, current, apiVersion, managed);
  }
  return current.pruned;
}

function* addBackOwnedIn(
  context: MergeContext,
  pair: PrunedPair,
  apiVersion: string,
  managed: FieldSet,
): Generator<void, PrunedPair> {
  const merged = convert(context, pair.merged, apiVersion);
  const pruned = convert(context, pair.pruned, apiVersion);
  if (merged === undefined || pruned === undefined) return pair;
  const gone = yield* goneFields(merged, pruned, managed);
  const value = removeItems(merged.type, merged.value, gone);
  yield;
  return { merged, pruned: { ...merged, value } };
}

/** The fields of the merged value that are neither in the pruned one nor managed. */
function* goneFields(merged: TypedValue, { value }: TypedValue, managed: FieldSet): Generator<void, FieldSet> {
  const kept = yield* keptFields({ ...merged, value }, managed);
  yield;
  const all = yield* namedFields(merged, kept);
  yield;
  const gone = all.difference(kept);
  yield;
  return gone;
}

function* keptFields(pruned: TypedValue, managed: FieldSet): Generator<void, FieldSet> {
  const left = yield* namedFields(pruned);
  yield;
  return left.union(withNamedFields(managed, pruned.type));
}

/**
 * Adds back what the applier did not own: fields and list items without an owner stay. Upstream: addBackDanglingItems
 */
function* addBackDangling(
  context: MergeContext,
  merged: TypedValue,
  pruned: TypedValue,
  last: VersionedSet,
): Generator<void, TypedValue> {
  const converted = convert(context, pruned, last.apiVersion);
  if (converted === undefined) return merged;
  const own = yield* ownGoneFields(merged, converted, last.set);
  yield;
  return { ...merged, value: removeItems(merged.type, merged.value, own) };
}

/** The fields of the merged value that the pruned one lacks, and that the applier owned. */
function* ownGoneFields(merged: TypedValue, { value }: TypedValue, last: FieldSet): Generator<void, FieldSet> {
  const gone = yield* lackingFields(merged, { ...merged, value });
  yield;
  return gone.intersection(withNamedFields(last, merged.type));
}

function* lackingFields(merged: TypedValue, pruned: TypedValue): Generator<void, FieldSet> {
  const left = yield* namedFields(pruned);
  yield;
  const all = yield* namedFields(merged, left);
  yield;
  return all.difference(left);
}

/** The fields of a value, with every declared field above them. Those of `except` may be left out. */
function* namedFields({ type, value }: TypedValue, except?: FieldSet): Generator<void, FieldSet> {
  return withNamedFields(yield* toFieldSetInSteps(type, value, except), type);
}
