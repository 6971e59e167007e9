import type { DeepReadonly, KubeObject, ManagedFieldsEntry } from '@apiserver/apimachinery';
import {
  decodeManagedFields,
  type Managed,
  ManagedFieldsError,
  NO_MANAGERS,
  shareEntries,
} from '@apiserver/apimachinery/structured-merge-diff';

type Entries = readonly DeepReadonly<ManagedFieldsEntry>[];
type Live = DeepReadonly<KubeObject> | undefined;

/**
 * The managed fields before an update: those that the client sent, which may be edited by hand, or those of the live
 * object if the client sent no readable ones. Writes to a subresource cannot change them by hand.
 *
 * Upstream: decodeLiveOrNew in k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go
 */
export function managedOf(live: Live, object: KubeObject, isSubresource: boolean): Managed {
  const known = live?.metadata.managedFields;
  if (isSubresource) return readable(known) ?? NO_MANAGERS;
  const sent = object.metadata.managedFields;
  if (sent !== undefined && isReset(sent)) return NO_MANAGERS;
  const managed = sent === undefined ? undefined : readable(shareEntries(sent, known));
  return managed !== undefined && managed.managers.size > 0 ? managed : (readable(known) ?? NO_MANAGERS);
}

function readable(entries: Entries | undefined): Managed | undefined {
  try {
    return decodeManagedFields(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return undefined;
    throw error;
  }
}

/** True for an empty list, or a list of one empty entry, which resets the managers. */
function isReset(entries: Entries): boolean {
  if (entries.length !== 1) return entries.length === 0;
  const [entry = {}] = entries;
  return Object.keys(entry).length === 0;
}
