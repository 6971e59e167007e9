import { equalJson, type KubeObject, type OwnerReference } from '@apiserver/apimachinery';
import type { WarningRecorder } from '@apiserver/apiserver-contracts';

/** Whether duplicates came from the client, or from an admission plugin. */
export type DuplicatesFrom = 'request' | 'admission';

/**
 * Drops owner references that stand twice, and warns about them. Mutates.
 *
 * Upstream: dedupOwnerReferencesAndAddWarning in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function dedupOwnerReferences({ metadata }: KubeObject, warnings: WarningRecorder, from: DuplicatesFrom): void {
  const references = metadata.ownerReferences;
  if (references === undefined || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates = new Set<string>();
  for (const reference of references) {
    const twice = kept.some((other) => other.uid === reference.uid && equalJson(other, reference));
    if (twice) duplicates.add(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.size === 0) return;
  metadata.ownerReferences = kept;
  const when = from === 'admission' ? ' after mutating admission happens' : '';
  warnings.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and ` +
      'may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ' +
      [...duplicates].join(', '),
  );
}
