import type { DeepReadonly, ObjectMeta } from '@apiserver/apimachinery';
import { semanticEqual } from '../semantic-equal.js';

interface WithMetadata {
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/**
 * Reports whether an update changes only owner references and finalizers. The garbage collector must be able to do
 * that on roles whose rules it lacks.
 * Upstream: IsOnlyMutatingGCFields in pkg/registry/rbac/helpers.go
 */
export function onlyChangesGCFields(object: WithMetadata, old: WithMetadata | undefined): boolean {
  if (old === undefined) return false;
  const { ownerReferences, finalizers, selfLink } = old.metadata;
  return semanticEqual({ ...object, metadata: { ...object.metadata, ownerReferences, finalizers, selfLink } }, old);
}
