import { sortKeys } from '../../json/compare-keys.js';
import type { FieldSet } from '../field-set/field-set.js';

/** The fields that one manager owns, as paths in one version. */
export interface VersionedSet {
  readonly set: FieldSet;
  /** `apps/v1`. */
  readonly apiVersion: string;
  /** By server-side apply, and not by other writes. */
  readonly applied: boolean;
}

/** Managers by identifier (see `managerIdentifier`). Upstream: fieldpath.ManagedFields */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** The identifiers in order, so that nothing depends on the order in which they came. */
export function sortedIdentifiers(managers: Managers): readonly string[] {
  return sortKeys([...managers.keys()]);
}
