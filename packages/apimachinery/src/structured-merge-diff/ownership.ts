import { ApplyConflicts, type ConflictingFields } from './apply-conflicts.js';
import { copyMap } from './field-set/copy-map.js';
import { EMPTY_SET, type FieldSet } from './field-set/field-set.js';
import type { Managers, VersionedSet } from './managed-fields/managers.js';
import { sortedIdentifiers } from './managed-fields/managers.js';
import { type Pruning, pruneItems, pruneItemsInSteps } from './prune-items.js';
import {
  type ComparedWith,
  type Comparison,
  compareTyped,
  compareTypedInSteps,
  excludeFields,
} from './typed/compare-typed.js';
import { mergeTyped, mergeTypedInSteps } from './typed/merge-typed.js';
import { reconcileSet } from './typed/reconcile-set.js';
import { convert, type MergeContext, type TypedValue } from './typed/typed-value.js';

/** The view of a write for ownership. */
export interface OwnedWrite {
  readonly live: TypedValue;
  readonly managers: Managers;
  /** Identifier of the writer. */
  readonly manager: string;
}

/** An update, patch or create. */
export interface OwnedUpdate extends OwnedWrite {
  /**
   * Reports whether a manager will regain these fields after the write: an owner of all of them keeps its set
   * unchanged.
   */
  readonly regains?: (manager: string, changed: FieldSet) => boolean;
}

/**
 * The managers after an update, patch or create: the writer owns what it changed, and others lose it. The caller may
 * change the result. The comparison is the write's, without reset fields. Throws MergeTypeError.
 *
 * Upstream: Updater.Update in sigs.k8s.io/structured-merge-diff/v6/merge/update.go
 */
export function ownUpdate(context: MergeContext, write: OwnedUpdate, updated: TypedValue): Map<string, VersionedSet> {
  const { live, manager, regains } = write;
  const managers = reconciledManagers(context, write.managers, live);
  const comparisons = new Comparisons(context, live, updated);
  return withOwn(context, write, updated, settle({ comparisons, managers, manager, force: true, regains }));
}

/** The same in steps, for large objects. */
export function* ownUpdateInSteps(
  context: MergeContext,
  write: OwnedUpdate,
  updated: TypedValue,
): Generator<void, Map<string, VersionedSet>> {
  const { live, manager, regains } = write;
  const managers = reconciledManagers(context, write.managers, live);
  yield;
  const comparisons = yield* Comparisons.inSteps(context, { live, updated, source: 'object', managers });
  const settled = yield* settleInSteps({ comparisons, managers, manager, force: true, regains });
  yield;
  return withOwn(context, write, updated, settled);
}

function withOwn(
  context: MergeContext,
  { manager }: OwnedUpdate,
  { apiVersion }: TypedValue,
  { managers, comparison }: Settled,
): Map<string, VersionedSet> {
  const { added, modified, removed } = comparison;
  const own = managers.get(manager)?.set ?? EMPTY_SET;
  const set = own
    .difference(removed)
    .union(modified)
    .union(added)
    .recursiveDifference(context.resetFieldsIn(apiVersion));
  if (set.empty) managers.delete(manager);
  else managers.set(manager, { set, apiVersion, applied: false });
  return managers;
}

/** The result of an apply. */
export interface AppliedValue {
  /** The merged value; the live one itself if nothing changes. */
  readonly value: TypedValue;
  /** The caller may change it. */
  readonly managers: Map<string, VersionedSet>;
}

/** An applied configuration. */
export interface Application {
  readonly applied: TypedValue;
  /** The fields that it mentions, without reset fields. */
  readonly mentioned: FieldSet;
  readonly force: boolean;
}

/**
 * Merges an applied configuration into the live value: the writer owns what it mentions. Fields that it no longer
 * mentions are removed unless others own them. Throws ApplyConflicts unless `force`, MergeTypeError.
 *
 * Upstream: Updater.Apply in sigs.k8s.io/structured-merge-diff/v6/merge/update.go
 */
export function ownApply(context: MergeContext, write: OwnedWrite, application: Application): AppliedValue {
  const { live, manager } = write;
  const { applied, mentioned } = application;
  const { managers, pruning } = applyingManagers(context, write, { apiVersion: applied.apiVersion, mentioned });
  const merged = mergedWith(live, applied);
  const value = pruning === undefined ? merged : pruneItems(context, merged, pruning);
  if (managers.size === 1) return { value, managers: soleManager(managers, manager) };
  const comparisons = new Comparisons(context, live, value, compared(context, live, value, 'configuration'));
  return { value, managers: settle({ comparisons, managers, manager, force: application.force }).managers };
}

/** An applied configuration that nobody needs after its merge: it takes as much memory as the object. */
export interface ConsumableApplication extends Pick<Application, 'mentioned' | 'force'> {
  readonly apiVersion: string;
  takeApplied(): TypedValue;
}

/** The same in steps, for large objects. */
export function* ownApplyInSteps(
  context: MergeContext,
  write: OwnedWrite,
  application: ConsumableApplication,
): Generator<void, AppliedValue> {
  const { live, manager } = write;
  const { managers, pruning } = applyingManagers(context, write, application);
  yield;
  const merged = yield* mergedWithInSteps(live, application.takeApplied());
  yield;
  const value = pruning === undefined ? merged : yield* pruneItemsInSteps(context, merged, pruning);
  if (managers.size === 1) return { value, managers: soleManager(managers, manager) };
  yield;
  const comparisons = yield* Comparisons.inSteps(context, { live, updated: value, source: 'configuration', managers });
  const settled = yield* settleInSteps({ comparisons, managers, manager, force: application.force });
  return { value, managers: settled.managers };
}

interface Applying {
  readonly managers: Map<string, VersionedSet>;
  /** Undefined if the applier owned nothing before. */
  readonly pruning: Pruning | undefined;
}

/** The managers after the applier has taken what it mentions. */
function applyingManagers(
  context: MergeContext,
  { live, manager, managers: before }: OwnedWrite,
  { apiVersion, mentioned }: Pick<ConsumableApplication, 'apiVersion' | 'mentioned'>,
): Applying {
  const managers = copyMap(reconciledManagers(context, before, live));
  const last = managers.get(manager);
  managers.set(manager, { set: mentioned, apiVersion, applied: true });
  return { managers, pruning: last === undefined || last.set.empty ? undefined : { managers, manager, last } };
}

/**
 * The managers after an apply without other managers: it takes fields from none, so its changes are not compared. A
 * comparison finds no faults that the merge has not found.
 */
function soleManager(managers: Map<string, VersionedSet>, manager: string): Map<string, VersionedSet> {
  if (managers.get(manager)?.set.empty) managers.delete(manager);
  return managers;
}

function mergedWith(live: TypedValue, { type, value }: TypedValue): TypedValue {
  return { ...live, value: mergeTyped(type, live.value, value) };
}

function* mergedWithInSteps(live: TypedValue, { type, value }: TypedValue): Generator<void, TypedValue> {
  return { ...live, value: yield* mergeTypedInSteps(type, live.value, value) };
}

/** Upstream: Updater.reconcileManagedFieldsWithSchemaChanges */
function reconciledManagers(context: MergeContext, managers: Managers, live: TypedValue): Managers {
  let reconciled: Map<string, VersionedSet> | undefined;
  managers.forEach((owned, manager) => {
    const versioned = convert(context, live, owned.apiVersion);
    const set = versioned && reconcileSet(owned.set, versioned.type);
    if (set === owned.set) return;
    reconciled ??= copyMap(managers);
    if (set === undefined) reconciled.delete(manager);
    else reconciled.set(manager, { ...owned, set });
  });
  return reconciled ?? managers;
}

interface Settling {
  readonly comparisons: Comparisons;
  readonly managers: Managers;
  /** Identifier of the writer. */
  readonly manager: string;
  readonly force: boolean;
  readonly regains?: OwnedUpdate['regains'] | undefined;
}

interface Settled {
  readonly managers: Map<string, VersionedSet>;
  readonly comparison: Comparison;
}

/** Removes from all other managers what a write changed or removed. Upstream: Updater.update */
function settle(settling: Settling): Settled {
  const settled = new Map<string, VersionedSet>();
  const conflicts: ConflictingFields[] = [];
  for (const manager of sortedIdentifiers(settling.managers)) {
    const lost = settleOne(settling, manager, settled);
    if (!lost.empty) conflicts.push({ manager, set: lost });
  }
  return settledOrRefused(settling, settled, conflicts);
}

function* settleInSteps(settling: Settling): Generator<void, Settled> {
  const settled = new Map<string, VersionedSet>();
  const conflicts: ConflictingFields[] = [];
  for (const manager of sortedIdentifiers(settling.managers)) {
    yield;
    const lost = settleOne(settling, manager, settled);
    if (!lost.empty) conflicts.push({ manager, set: lost });
  }
  return settledOrRefused(settling, settled, conflicts);
}

function settledOrRefused(
  { comparisons }: Settling,
  managers: Map<string, VersionedSet>,
  conflicts: readonly ConflictingFields[],
): Settled {
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts);
  return { managers, comparison: comparisons.own };
}

/** Adds what a manager still owns to `settled`. Returns the fields that it would lose only by force. */
function settleOne(
  { comparisons, managers, manager: writer, force, regains }: Settling,
  manager: string,
  settled: Map<string, VersionedSet>,
): FieldSet {
  const owned = managers.get(manager) as VersionedSet;
  if (manager === writer) {
    if (!owned.set.empty) settled.set(manager, owned);
    return EMPTY_SET;
  }
  const changes = comparisons.in(owned.apiVersion);
  if (changes === undefined) return EMPTY_SET;
  if (changes === comparisons.ownChanges && regains?.(manager, changes.changed) && ownsAll(owned, changes)) {
    settled.set(manager, owned);
    return EMPTY_SET;
  }
  const left = owned.set.difference(changes.changed).difference(changes.removed);
  if (!left.empty) settled.set(manager, withSet(owned, left));
  return force ? EMPTY_SET : owned.set.intersection(changes.changed);
}

/** Reports whether a write only touches fields of this manager, and removes none. */
function ownsAll({ set }: VersionedSet, { changed, removed }: Changes): boolean {
  return removed.empty && !changed.empty && changed.isWithin(set);
}

function withSet(owned: VersionedSet, set: FieldSet): VersionedSet {
  return set === owned.set ? owned : { ...owned, set };
}

interface Changes {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Every version of the live value is made before, when the managers are reconciled with it. */
const UPDATED = 'failed to convert new object';

interface ComparedWrite {
  readonly live: TypedValue;
  readonly updated: TypedValue;
  readonly source: ComparedWith;
  readonly managers: Managers;
}

/** The comparison of a write in each version that a manager uses, made once. Converted values are objects. */
class Comparisons {
  readonly own: Comparison;
  readonly #context: MergeContext;
  readonly #live: TypedValue;
  readonly #updated: TypedValue;
  readonly ownChanges: Changes;
  #byVersion: Map<string, Changes | undefined> | undefined = undefined;

  constructor(context: MergeContext, live: TypedValue, updated: TypedValue, own = compared(context, live, updated)) {
    this.#context = context;
    this.#live = live;
    this.#updated = updated;
    this.own = own;
    this.ownChanges = changesOf(own);
  }

  /** Those of all versions that the managers use, made in steps. */
  static *inSteps(
    context: MergeContext,
    { live, updated, source, managers }: ComparedWrite,
  ): Generator<void, Comparisons> {
    const own = yield* comparedInSteps(context, live, updated, source);
    yield;
    const comparisons = new Comparisons(context, live, updated, own);
    for (const { apiVersion } of managers.values()) yield* comparisons.#prepare(apiVersion);
    return comparisons;
  }

  /** Undefined if the version no longer exists. */
  in(apiVersion: string): Changes | undefined {
    if (apiVersion === this.#updated.apiVersion) return this.ownChanges;
    this.#byVersion ??= new Map();
    if (!this.#byVersion.has(apiVersion)) this.#byVersion.set(apiVersion, this.#changesIn(apiVersion));
    return this.#byVersion.get(apiVersion);
  }

  #changesIn(apiVersion: string): Changes | undefined {
    const live = this.#context.convert(this.#live, apiVersion);
    const updated = convert(this.#context, this.#updated, apiVersion, UPDATED);
    return live === undefined || updated === undefined ? undefined : changesOf(compared(this.#context, live, updated));
  }

  *#prepare(apiVersion: string): Generator<void, void> {
    if (apiVersion === this.#updated.apiVersion || this.#byVersion?.has(apiVersion)) return;
    yield;
    const live = this.#context.convert(this.#live, apiVersion);
    yield;
    const updated = convert(this.#context, this.#updated, apiVersion, UPDATED);
    yield;
    const isThere = live !== undefined && updated !== undefined;
    const changes = isThere ? changesOf(yield* comparedInSteps(this.#context, live, updated)) : undefined;
    this.#byVersion ??= new Map();
    this.#byVersion.set(apiVersion, changes);
  }
}

function compared(context: MergeContext, live: TypedValue, updated: TypedValue, source?: ComparedWith): Comparison {
  return excludeFields(
    compareTyped(updated.type, live.value, updated.value, source),
    context.resetFieldsIn(updated.apiVersion),
  );
}

function* comparedInSteps(
  context: MergeContext,
  live: TypedValue,
  updated: TypedValue,
  source?: ComparedWith,
): Generator<void, Comparison> {
  const comparison = yield* compareTypedInSteps(updated.type, live.value, updated.value, source);
  return excludeFields(comparison, context.resetFieldsIn(updated.apiVersion));
}

function changesOf({ added, modified, removed }: Comparison): Changes {
  return { changed: modified.union(added), removed };
}
