import { atOnce } from '../clock/at-once.js';
import type { FieldSet } from './field-set/field-set.js';
import { EMPTY_SET } from './field-set/field-set.js';
import { isKeyElement } from './field-set/path-element.js';
import type { Managers, VersionedSet } from './managed-fields/managers.js';
import { withNamedFields } from './typed/named-fields.js';
import { removeItems } from './typed/remove-items.js';
import { type FieldSetHints, toFieldSetInSteps } from './typed/to-field-set.js';
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

const PRUNE = 'failed to prune fields: ';

function* pruneSteps(context: MergeContext, merged: TypedValue, pruning: Pruning): Generator<void, TypedValue> {
  const { managers, manager, last } = pruning;
  const before = convert(
    context,
    merged,
    last.apiVersion,
    `${PRUNE}failed to convert merged object to last applied version`,
  );
  if (before === undefined) return merged;
  yield;
  // Upstream takes a converted value apart as a Go structure, whose fields are the members of its JSON.
  const shown = before === merged ? merged : context.withoutEmpty(before);
  const pruned = withoutFields(shown, last.set);
  yield;
  const owned = yield* addBackOwned(context, { merged: shown, pruned }, { managers, manager, last });
  const dangling = yield* addBackDangling(context, shown, owned, pruning);
  const { apiVersion } = managers.get(manager) ?? last;
  const value = convert(context, dangling, apiVersion, 'failed to prune fields') ?? dangling;
  return value === dangling ? dangling : context.withoutEmpty(value);
}

// The functions below keep no set that a later step does not need: each may take as much memory as the object.

function withoutFields(value: TypedValue, fields: FieldSet): TypedValue {
  const { type } = value;
  return { ...value, value: removeItems(type, value.value, withNamedFields(fields, type)) };
}

/**
 * Reports whether the applier still mentions everything it owned, as nearly always: then all removed items would be
 * added back. Only where all sets are in one version. An item that is owned without its fields, because the defaults of
 * its keys name it, is not added back: as upstream, an applier that repeats it removes it.
 */
function dropsNothing(merged: TypedValue, { managers, manager, last }: Pruning): boolean {
  const own = managers.get(manager);
  if (own === undefined || merged.apiVersion !== last.apiVersion) return false;
  for (const { apiVersion } of managers.values()) if (apiVersion !== last.apiVersion) return false;
  return last.set.isWithin(own.set) && !hasBareItems(last.set);
}

/** Reports whether a set has items of keyed lists without anything inside. */
function hasBareItems({ entries }: FieldSet): boolean {
  for (const [element, { children }] of entries) {
    if (children === undefined ? isKeyElement(element) : hasBareItems(children)) return true;
  }
  return false;
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
    if (!managed.empty) current = yield* addBackOwnedIn(context, current, { apiVersion, managed, last: last.set });
  }
  return current.pruned;
}

interface OwnedInVersion {
  readonly apiVersion: string;
  /** The fields that managers own in this version. */
  readonly managed: FieldSet;
  /** The applier's previous set, which most of the removed fields make up. */
  readonly last: FieldSet;
}

function* addBackOwnedIn(
  context: MergeContext,
  pair: PrunedPair,
  { apiVersion, ...sets }: OwnedInVersion,
): Generator<void, PrunedPair> {
  const failed = (which: string) =>
    `${PRUNE}failed add back owned items: failed to convert ${which} object at version ${apiVersion}`;
  const merged = convert(context, pair.merged, apiVersion, failed('merged'));
  const pruned = convert(context, pair.pruned, apiVersion, failed('pruned'));
  if (merged === undefined || pruned === undefined) return pair;
  const gone = yield* goneFields(merged, pruned, sets);
  const value = removeItems(merged.type, merged.value, gone);
  yield;
  return { merged, pruned: { ...merged, value } };
}

/** The fields of the merged value that are neither in the pruned one nor managed. */
function* goneFields(
  merged: TypedValue,
  { value }: TypedValue,
  { managed, last }: Omit<OwnedInVersion, 'apiVersion'>,
): Generator<void, FieldSet> {
  const kept = yield* keptFields({ ...merged, value }, managed);
  yield;
  const all = yield* namedFields(merged, { except: kept, like: [last] });
  yield;
  const gone = all.difference(kept);
  yield;
  return gone;
}

function* keptFields(pruned: TypedValue, managed: FieldSet): Generator<void, FieldSet> {
  const left = yield* namedFields(pruned, { like: [managed] });
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
  { managers, manager, last }: Pruning,
): Generator<void, TypedValue> {
  const failed = `${PRUNE}failed add back dangling items: failed to convert pruned object to last applied version`;
  const converted = convert(context, pruned, last.apiVersion, failed);
  if (converted === undefined) return merged;
  const own = yield* ownGoneFields(merged, converted, { last: last.set, own: managers.get(manager)?.set ?? EMPTY_SET });
  yield;
  return { ...merged, value: removeItems(merged.type, merged.value, own) };
}

/** The sets of the applier before and after an apply. */
interface OwnSets {
  readonly last: FieldSet;
  readonly own: FieldSet;
}

/** The fields of the merged value that the pruned one lacks, and that the applier owned. */
function* ownGoneFields(merged: TypedValue, { value }: TypedValue, sets: OwnSets): Generator<void, FieldSet> {
  const gone = yield* lackingFields(merged, { ...merged, value }, sets);
  yield;
  return gone.intersection(withNamedFields(sets.last, merged.type));
}

/** The fields of the merged value that the pruned one lacks. */
function* lackingFields(merged: TypedValue, pruned: TypedValue, { last, own }: OwnSets): Generator<void, FieldSet> {
  const left = yield* namedFields(pruned, { like: [own] });
  yield;
  const all = yield* namedFields(merged, { except: left, like: [last] });
  yield;
  return all.difference(left);
}

/** The fields of a value, with every declared field above them. */
function* namedFields({ type, value }: TypedValue, hints: FieldSetHints): Generator<void, FieldSet> {
  return withNamedFields(yield* toFieldSetInSteps(type, value, hints), type);
}
