import { ApplyConflicts, type ConflictingFields } from './apply-conflicts.js';
import { copyMap } from './field-set/copy-map.js';
import { EMPTY_SET, type FieldSet } from './field-set/field-set.js';
import type { Managers, VersionedSet } from './managed-fields/managers.js';
import { sortedIdentifiers } from './managed-fields/managers.js';
import { pruneItems } from './prune-items.js';
import { type Comparison, compareTyped, excludeFields } from './typed/compare-typed.js';
import { mergeTyped } from './typed/merge-typed.js';
import { reconcileSet } from './typed/reconcile-set.js';
import { convert, type MergeContext, type TypedValue } from './typed/typed-value.js';

/** One write, as ownership sees it. */
export interface OwnedWrite {
  readonly live: TypedValue;
  readonly managers: Managers;
  /** Identifier of the writer. */
  readonly manager: string;
  /** Yields between steps. */
  readonly inSteps?: boolean;
}

/** An update, patch or create. */
export interface OwnedUpdate extends OwnedWrite {
  /** Whether a manager will be given these fields when the write has taken them: what owns all of them stays whole. */
  readonly regains?: (manager: string, changed: FieldSet) => boolean;
}

/**
 * The managers after an update, patch or create, the caller's to change: the writer owns what it changed, and others lose
 * it. The comparison is the write's, without reset fields. Yields between steps. Throws MergeTypeError.
 *
 * Upstream: Updater.Update in sigs.k8s.io/structured-merge-diff/v6/merge/update.go
 */
export function* ownUpdate(
  context: MergeContext,
  write: OwnedUpdate,
  updated: TypedValue,
): Generator<void, Map<string, VersionedSet>> {
  if (!write.inSteps) return ownUpdateAtOnce(context, write, updated);
  const before = reconciledManagers(context, write.managers, write.live);
  yield;
  const settled = settle(context, { ...write, managers: before, updated, force: true });
  yield;
  return withOwn(context, write, updated, settled);
}

/** The same for a small object, without yields. Throws MergeTypeError. */
export function ownUpdateAtOnce(
  context: MergeContext,
  write: OwnedUpdate,
  updated: TypedValue,
): Map<string, VersionedSet> {
  const { live, manager, regains } = write;
  const before = reconciledManagers(context, write.managers, live);
  const settled = settle(context, { live, manager, managers: before, updated, force: true, regains });
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
  const set = own.difference(removed).union(modified).union(added).recursiveDifference(context.resetFields);
  if (set.empty) managers.delete(manager);
  else managers.set(manager, { set, apiVersion, applied: false });
  return managers;
}

/** What came of an apply. */
export interface AppliedValue {
  /** The merged value; the live one itself when applying changes nothing. */
  readonly value: TypedValue;
  /** The caller's to change. */
  readonly managers: Map<string, VersionedSet>;
}

/** What is applied. */
export interface Application {
  readonly applied: TypedValue;
  /** The fields that it mentions, without reset fields. */
  readonly mentioned: FieldSet;
  readonly force: boolean;
}

/**
 * Merges an applied configuration into the live value: the writer owns what it mentions, and what it mentioned before
 * and does not any more goes, unless others own it. Yields between steps. Throws ApplyConflicts unless `force`,
 * MergeTypeError.
 *
 * Upstream: Updater.Apply in sigs.k8s.io/structured-merge-diff/v6/merge/update.go
 */
export function* ownApply(
  context: MergeContext,
  write: OwnedWrite,
  { applied, mentioned, force }: Application,
): Generator<void, AppliedValue> {
  const { live, manager, inSteps } = write;
  const { apiVersion, type } = applied;
  const managers = copyMap(reconciledManagers(context, write.managers, live));
  if (inSteps) yield;
  const merged: TypedValue = { ...live, value: mergeTyped(type, live.value, applied.value) };
  if (inSteps) yield;
  const last = managers.get(manager);
  managers.set(manager, { set: mentioned, apiVersion, applied: true });
  const pruned =
    last === undefined || last.set.empty ? merged : pruneItems(context, merged, { managers, manager, last });
  if (inSteps) yield;
  const settled = settle(context, { live, updated: pruned, managers, manager, force });
  return { value: pruned, managers: settled.managers };
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

interface Settling extends OwnedWrite {
  readonly updated: TypedValue;
  readonly force: boolean;
  readonly regains?: OwnedUpdate['regains'] | undefined;
}

interface Settled {
  readonly managers: Map<string, VersionedSet>;
  readonly comparison: Comparison;
}

/**
 * Takes from all other managers what a write changed or removed. Upstream: Updater.update
 */
function settle(
  context: MergeContext,
  { live, updated, managers, manager: writer, force, regains }: Settling,
): Settled {
  const comparisons = new Comparisons(context, live, updated);
  const settled = new Map<string, VersionedSet>();
  const conflicts: ConflictingFields[] = [];
  for (const manager of sortedIdentifiers(managers)) {
    const owned = managers.get(manager) as VersionedSet;
    if (manager === writer) {
      if (!owned.set.empty) settled.set(manager, owned);
      continue;
    }
    const changes = comparisons.in(owned.apiVersion);
    if (changes === undefined) continue;
    if (changes === comparisons.ownChanges && regains?.(manager, changes.changed) && ownsAll(owned, changes)) {
      settled.set(manager, owned);
      continue;
    }
    const lost = force ? EMPTY_SET : owned.set.intersection(changes.changed);
    if (!lost.empty) conflicts.push({ manager, set: lost });
    const left = owned.set.difference(changes.changed).difference(changes.removed);
    if (!left.empty) settled.set(manager, withSet(owned, left));
  }
  if (conflicts.length > 0) {
    throw new ApplyConflicts(conflicts);
  }
  return { managers: settled, comparison: comparisons.own };
}

/** Whether a write touches nothing but fields of this manager, and removes none. */
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

/** The comparison of a write in each version that some manager speaks, made once. */
class Comparisons {
  readonly own: Comparison;
  readonly #context: MergeContext;
  readonly #live: TypedValue;
  readonly #updated: TypedValue;
  readonly ownChanges: Changes;
  #byVersion: Map<string, Changes | undefined> | undefined = undefined;

  constructor(context: MergeContext, live: TypedValue, updated: TypedValue) {
    this.#context = context;
    this.#live = live;
    this.#updated = updated;
    this.own = this.#compare(live, updated);
    this.ownChanges = changesOf(this.own);
  }

  /** Undefined when the version is not there any more. */
  in(apiVersion: string): Changes | undefined {
    if (apiVersion === this.#updated.apiVersion) return this.ownChanges;
    this.#byVersion ??= new Map();
    if (!this.#byVersion.has(apiVersion)) this.#byVersion.set(apiVersion, this.#changesIn(apiVersion));
    return this.#byVersion.get(apiVersion);
  }

  #changesIn(apiVersion: string): Changes | undefined {
    const live = this.#context.convert(this.#live, apiVersion);
    const updated = this.#context.convert(this.#updated, apiVersion);
    return live === undefined || updated === undefined ? undefined : changesOf(this.#compare(live, updated));
  }

  #compare(live: TypedValue, updated: TypedValue): Comparison {
    return excludeFields(compareTyped(updated.type, live.value, updated.value), this.#context.resetFields);
  }
}

function changesOf({ added, modified, removed }: Comparison): Changes {
  return { changed: modified.union(added), removed };
}
