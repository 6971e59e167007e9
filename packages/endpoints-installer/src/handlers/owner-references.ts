import type { KubeObject, OwnerReference } from '@apiserver/apimachinery';
import type { WarningRecorder } from '@apiserver/apiserver-contracts';

/** The origin of duplicates: the client, or an admission plugin. */
export type DuplicatesFrom = 'request' | 'admission';

/**
 * Drops duplicate owner references, with a warning. Mutates.
 *
 * Upstream: dedupOwnerReferencesAndAddWarning in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function dedupOwnerReferences({ metadata }: KubeObject, warnings: WarningRecorder, from: DuplicatesFrom): void {
  const references = metadata.ownerReferences;
  if (references === undefined || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  const seen = new Set<string>();
  for (const reference of references) {
    if (seen.size === seen.add(textOf(reference)).size) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = kept;
  const when = from === 'admission' ? ' after mutating admission happens' : '';
  warnings.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and ` +
      'may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ' +
      duplicates.join(', '),
  );
}

/**
 * Returns equal text for equal references. A body of 3 MiB has about 50,000 of them, too many for comparing all pairs.
 */
function textOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
}
