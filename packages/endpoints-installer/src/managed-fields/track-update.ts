import {
  type ConsumableManaged,
  capManagers,
  copyMap,
  dropReplacedSets,
  EMPTY_SET,
  type FieldSet,
  type Managed,
  managerIdentifier,
  type OwnedUpdate,
  ownUpdate,
  ownUpdateInSteps,
  type TypedValue,
  type VersionedSet,
} from '@apiserver/apimachinery/structured-merge-diff';
import { formatTime } from '@apiserver/apimachinery/values';
import type { ObjectVersions } from './object-versions.js';
import { stripMetadata } from './strip-metadata.js';

/** Identifies the writer during the computation of its changes. */
const CURRENT_OPERATION = 'current-operation';

/** The input of `trackUpdate`: one update, patch or create. */
export interface TrackedUpdate {
  readonly versions: ObjectVersions;
  readonly subresource: string;
  /** Name of the writer. */
  readonly manager: string;
  readonly managed: Managed;
  readonly live: TypedValue;
  readonly updated: TypedValue;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The managed fields after a write other than apply. The changed fields are added to those of the writer. A write
 * without changes keeps all times. Throws MergeTypeError.
 *
 * Upstream: managedfieldsupdater.go, buildmanagerinfo.go and stripmeta.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal
 */
export function trackUpdate(update: TrackedUpdate): Managed {
  const identifier = identifierOf(update);
  const managers = ownUpdate(update.versions, ownedWrite(update, identifier), update.updated);
  return tracked(update, identifier, managers);
}

/** The same in steps, for large objects. The result has no sets that encoding does not need. */
export function* trackUpdateInSteps(update: TrackedUpdate): Generator<void, ConsumableManaged> {
  const identifier = identifierOf(update);
  const managers = yield* ownUpdateInSteps(update.versions, ownedWrite(update, identifier), update.updated);
  yield;
  return dropReplacedSets(tracked(update, identifier, managers));
}

function identifierOf({ versions, subresource, manager }: TrackedUpdate): string {
  return managerIdentifier({ manager, operation: 'Update', apiVersion: versions.apiVersion, subresource });
}

function ownedWrite({ live, managed }: TrackedUpdate, identifier: string): OwnedUpdate {
  const regains = (owner: string, taken: FieldSet) => owner === identifier && stripMetadata(taken) === taken;
  return { live, managers: managed.managers, manager: CURRENT_OPERATION, regains };
}

/** Changes `managers`. */
function tracked({ managed, now }: TrackedUpdate, identifier: string, managers: Map<string, VersionedSet>): Managed {
  const own = managers.get(CURRENT_OPERATION);
  const changed = stripMetadata(own?.set ?? EMPTY_SET);
  managers.delete(CURRENT_OPERATION);
  if (own === undefined || changed.empty) return capManagers({ ...managed, managers });
  const previous = managers.get(identifier);
  managers.set(identifier, { ...own, set: previous?.set.union(changed) ?? changed });
  const times = copyMap(managed.times).set(identifier, formatTime(now));
  return capManagers({ ...managed, managers, times });
}
