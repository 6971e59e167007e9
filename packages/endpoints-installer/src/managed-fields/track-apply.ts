import { equalJson } from '@apiserver/apimachinery/json';
import {
  ApplyConflicts,
  type ConflictingFields,
  copyMap,
  type FieldSet,
  type Managed,
  MergeTypeError,
  managerIdentifier,
  ownApply,
  type TypedValue,
  type VersionedSet,
} from '@apiserver/apimachinery/structured-merge-diff';
import { formatTime } from '@apiserver/apimachinery/values';
import { plainFailure } from '../responses/plain-failure.js';
import { conflictError } from './conflict-error.js';
import type { AppliedFields } from './fields-by-shape.js';
import type { ObjectVersions } from './object-versions.js';
import { stripMetadata } from './strip-metadata.js';

/** One server-side apply, as it is tracked. */
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
  readonly isLarge: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What came of an apply. `value` is undefined when the object stays as it is. */
export interface TrackedResult {
  readonly value: unknown;
  readonly managed: Managed;
}

/**
 * Merges what is applied and works out who manages what then. The time of the writer changes with the object only. Yields
 * between steps. Throws
 * a 409 for conflicts that force, or what client-side apply left behind, does not settle, and a 500, as upstream, where a
 * live object does not fit its schema.
 *
 * Upstream: structuredmerge.go, stripmeta.go, managedfieldsupdater.go and lastappliedmanager.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal
 */
export function* trackApply(apply: TrackedApply): Generator<void, TrackedResult> {
  const { versions, subresource, manager, managed, live, now } = apply;
  const { apiVersion } = versions;
  const identifier = managerIdentifier({ manager, operation: 'Apply', apiVersion, subresource });
  const { value, managers: owned } = yield* merged(apply, identifier);
  if (apply.isLarge) yield;
  const managers = stripped(owned, identifier, apply.fields);
  if (equalJson(value.value, live.value)) return { value: undefined, managed: { ...managed, managers } };
  const times = copyMap(managed.times).set(identifier, formatTime(now));
  return { value: value.value, managed: { ...managed, managers, times } };
}

function* merged(apply: TrackedApply, identifier: string): ReturnType<typeof ownApply> {
  const { versions, managed, live, applied, force, allowed } = apply;
  const { mentioned } = apply.fields;
  const write = { live, managers: managed.managers, manager: identifier, inSteps: apply.isLarge };
  try {
    return yield* ownApply(versions, write, { applied, mentioned, force });
  } catch (error) {
    if (error instanceof MergeTypeError) throw plainFailure(500, `failed to merge config: ${error.message}`);
    if (!(error instanceof ApplyConflicts)) throw error;
    const conflicts = allowed ? notAllowed(error.fields, allowed) : error.fields;
    if (conflicts.length > 0) throw conflictError(conflicts);
    return yield* ownApply(versions, write, { applied, mentioned, force: true });
  }
}

/** Only the very fields that are members are allowed, and what lies below them is not. */
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
