import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { type FieldError, FieldPath, fieldInvalid, seenBefore } from '@apiserver/apimachinery/field';
import { versionsOf } from '../types.js';

const STORED_VERSIONS = FieldPath.of('status', 'storedVersions');

/**
 * The versions in which objects may be stored: all must exist, and the storage version is one of them.
 * Upstream: ValidateCustomResourceDefinitionStoredVersions
 */
export function validateStoredVersions(definition: CustomResourceDefinition): FieldError[] {
  const stored = definition.status.storedVersions ?? [];
  if (stored.length === 0) return [fieldInvalid(STORED_VERSIONS, null, 'must have at least one stored version')];
  const versions = versionsOf(definition);
  // A second version of the same name finds its entry taken, as upstream.
  const lastIndexes = new Map(stored.map((name, i) => [name, i]));
  const isTaken = seenBefore<string>();
  const missing = versions.filter(({ storage, name }) => {
    const isFirst = !isTaken(name);
    return storage && !(lastIndexes.has(name) && isFirst);
  });
  const names = new Set(versions.map(({ name }) => name));
  const gone = stored.flatMap((name, i) => (lastIndexes.get(name) === i && !names.has(name) ? [{ name, i }] : []));
  return [
    ...missing.map(({ name }) => fieldInvalid(STORED_VERSIONS, stored, `must have the storage version ${name}`)),
    ...gone.map(({ name, i }) =>
      fieldInvalid(
        STORED_VERSIONS.index(i),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ` +
          `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from ` +
          'status.storedVersions',
      ),
    ),
  ];
}
