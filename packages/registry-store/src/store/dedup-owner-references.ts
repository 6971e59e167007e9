import { equalJson, type ObjectMeta, type OwnerReference } from '@apiserver/apimachinery';
import type { VerbContext } from '@apiserver/apiserver-contracts';

/**
 * Takes owner references that stand twice out, and warns of it. Mutates.
 * Upstream does this around mutating admission and says so in the warning of a patch, which is looked at only after it.
 * Upstream: dedupOwnerReferencesAndAddWarning of k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function dedupOwnerReferences(context: VerbContext, metadata: ObjectMeta): void {
  const references = metadata.ownerReferences;
  if (references === undefined || references.length < 2) return;
  const { kept, duplicates } = split(references);
  if (duplicates.length === 0) return;
  const when = context.requestInfo?.verb === 'patch' ? ' after mutating admission happens' : '';
  context.warnings.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
      'and may reject such requests as early as 1.24; please fix your requests; ' +
      `duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
  metadata.ownerReferences = kept;
}

/** Two references are the same only if all of them is: one owner may be referred to in two ways, for validation to judge. */
function split(references: readonly OwnerReference[]): { kept: OwnerReference[]; duplicates: string[] } {
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    const known = kept.some((other) => other.uid === reference.uid && equalJson(other, reference));
    if (known) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  return { kept, duplicates };
}
