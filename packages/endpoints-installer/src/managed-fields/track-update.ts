import {
  capManagers,
  copyMap,
  EMPTY_SET,
  type FieldSet,
  formatTime,
  type Managed,
  managerIdentifier,
  ownUpdate,
  type TypedValue,
} from '@apiserver/apimachinery';
import type { ObjectVersions } from './object-versions.js';
import { stripMetadata } from './strip-metadata.js';

/** Stands for the writer while it is worked out what he changed. */
const CURRENT_OPERATION = 'current-operation';

/** One update, patch or create, as it is tracked. */
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
 * Managed fields after a write that does not apply: what it changed becomes the writer's, beside what he had. Writes that
 * change nothing leave times alone. Throws MergeTypeError.
 *
 * Upstream: managedfieldsupdater.go, buildmanagerinfo.go and stripmeta.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal
 */
export function trackUpdate({ versions, subresource, manager, managed, live, updated, now }: TrackedUpdate): Managed {
  const { apiVersion } = versions;
  const identifier = managerIdentifier({ manager, operation: 'Update', apiVersion, subresource });
  const regains = (owner: string, taken: FieldSet) => owner === identifier && stripMetadata(taken) === taken;
  const write = { live, managers: managed.managers, manager: CURRENT_OPERATION, regains };
  const managers = ownUpdate(versions, write, updated);
  const own = managers.get(CURRENT_OPERATION);
  const changed = stripMetadata(own?.set ?? EMPTY_SET);
  managers.delete(CURRENT_OPERATION);
  if (own === undefined || changed.empty) return capManagers({ ...managed, managers });
  const previous = managers.get(identifier);
  managers.set(identifier, { ...own, set: previous?.set.union(changed) ?? changed });
  const times = copyMap(managed.times).set(identifier, formatTime(now));
  return capManagers({ ...managed, managers, times });
}
