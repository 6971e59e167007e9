import { sortKeys } from '../../json/compare-keys.js';
import type { FieldSet } from '../field-set/field-set.js';

/** The fields that one manager owns, as paths in one version. */
export interface VersionedSet {
  readonly set: FieldSet;
  /** `apps/v1`. */
  readonly apiVersion: string;
  /** True if owned by server-side apply, false for other writes. */
  readonly applied: boolean;
}

/** Managers by identifier (see `managerIdentifier`). Upstream: fieldpath.ManagedFields */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** The sorted identifiers, so that results do not depend on insertion order. */
export function sortedIdentifiers(managers: Managers): readonly string[] {
  return sortKeys([...managers.keys()]);
}
