import type { JsonObject } from '@apiserver/apimachinery';
import { plainFailure } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import {
  type Application,
  type AppliedValue,
  ApplyConflicts,
  type ConflictingFields,
  type ConsumableManaged,
  ConversionFailure,
  copyMap,
  dropReplacedSets,
  type FieldSet,
  type Managed,
  managerIdentifier,
  type OwnedWrite,
  ownApply,
  ownApplyInSteps,
  type TypedValue,
  type VersionedSet,
} from '@apiserver/apimachinery/structured-merge-diff';
import { formatTime } from '@apiserver/apimachinery/values';
import { conflictError } from './conflict-error.js';
import type { AppliedFields } from './fields-by-shape.js';
import type { ObjectVersions } from './object-versions.js';
import { stripMetadata } from './strip-metadata.js';

/** The input of `trackApply`: one server-side apply. */
export interface TrackedApply {
  readonly versions: ObjectVersions;
  readonly subresource: string;
  /** Name of the writer. */
  readonly manager: string;
  readonly managed: Managed;
  readonly live: TypedValue;
  readonly applied: TypedValue;
  readonly fields: AppliedFields;
  readonly force: boolean;
  /** Fields of other managers that may be taken without force. */
  readonly allowed: FieldSet | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The same for a large object. */
export interface TrackedApplyInSteps extends Omit<TrackedApply, 'applied'> {
  /** The configuration, which nobody else needs any more. Called more than once only if `allowed` is there. */
  takeApplied(): TypedValue;
}

/** The result of an apply. `value` is undefined if the object is unchanged. */
export interface TrackedResult {
  readonly value: JsonObject | undefined;
  readonly managed: Managed;
}

/**
 * Merges an applied configuration and computes the new owners. The writer's time changes only with the object. Throws a
 * 409 for conflicts, unless they are forced or caused by client-side apply. Throws MergeTypeError if a live object does not
 * match its schema.
 *
 * Upstream: structuredmerge.go, stripmeta.go, managedfieldsupdater.go and lastappliedmanager.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal
 */
export function trackApply(apply: TrackedApply): TrackedResult {
  const write = ownedWrite(apply);
  try {
    return tracked(apply, write, ownApply(apply.versions, write, application(apply)));
  } catch (error) {
    refuseUnlessAllowed(error, apply.allowed);
    return tracked(apply, write, ownApply(apply.versions, write, { ...application(apply), force: true }));
  }
}

/** The same for a large object: its sets are not needed after their encoding. */
export interface TrackedResultInSteps extends TrackedResult {
  readonly managed: ConsumableManaged;
}

/** The same in steps, for large objects. The result has no sets that encoding does not need. */
export function* trackApplyInSteps(apply: TrackedApplyInSteps): Generator<void, TrackedResultInSteps> {
  const { versions, fields, force, allowed } = apply;
  const write = ownedWrite(apply);
  const takeApplied = () => apply.takeApplied();
  const application = { apiVersion: versions.apiVersion, mentioned: fields.mentioned, force, takeApplied };
  let owned: AppliedValue;
  try {
    owned = yield* ownApplyInSteps(versions, write, application);
  } catch (error) {
    refuseUnlessAllowed(error, allowed);
    owned = yield* ownApplyInSteps(versions, write, { ...application, force: true });
  }
  yield;
  const { value, managed } = tracked(apply, write, owned);
  return { value, managed: dropReplacedSets(managed) };
}

function tracked(
  { managed, live, fields, now }: Omit<TrackedApply, 'applied'>,
  { manager: identifier }: OwnedWrite,
  { value, managers: owned }: AppliedValue,
): TrackedResult {
  const managers = stripped(owned, identifier, fields);
  if (equalJson(value.value, live.value)) return { value: undefined, managed: { ...managed, managers } };
  const times = copyMap(managed.times).set(identifier, formatTime(now));
  return { value: value.value as JsonObject, managed: { ...managed, managers, times } };
}

function ownedWrite({ versions, subresource, manager, managed, live }: Omit<TrackedApply, 'applied'>): OwnedWrite {
  const { apiVersion } = versions;
  const identifier = managerIdentifier({ manager, operation: 'Apply', apiVersion, subresource });
  return { live, managers: managed.managers, manager: identifier };
}

function application({ applied, fields, force }: TrackedApply): Application {
  return { applied, mentioned: fields.mentioned, force };
}

/** Throws the error of a rejected apply; returns for conflicts that are all allowed. */
function refuseUnlessAllowed(error: unknown, allowed: FieldSet | undefined): void {
  if (error instanceof ConversionFailure) throw plainFailure(500, error.message);
  if (!(error instanceof ApplyConflicts)) throw error;
  const conflicts = allowed ? notAllowed(error.fields, allowed) : error.fields;
  if (conflicts.length > 0) throw conflictError(conflicts);
}

/** Only the members themselves are allowed, not their descendants. */
function notAllowed(fields: readonly ConflictingFields[], allowed: FieldSet): readonly ConflictingFields[] {
  const left = fields.map(({ manager, set }) => ({ manager, set: set.difference(allowed) }));
  return left.filter(({ set }) => !set.empty);
}

/** Changes `managers`. */
function stripped(
  managers: Map<string, VersionedSet>,
  identifier: string,
  { mentioned, managed }: AppliedFields,
): Managed['managers'] {
  const owned = managers.get(identifier);
  if (owned === undefined) return managers;
  const set = owned.set === mentioned ? managed : stripMetadata(owned.set);
  if (set.empty) managers.delete(identifier);
  else managers.set(identifier, { ...owned, set });
  return managers;
}
