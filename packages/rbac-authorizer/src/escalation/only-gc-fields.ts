import type { DeepReadonly, ObjectMeta } from '@apiserver/apimachinery';
import { semanticEqual } from '../semantic-equal.js';

interface WithMetadata {
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/**
 * Whether an update changes at most owner references and finalizers: the garbage collector must be able to do that to
 * roles whose rules it does not have.
 * Upstream: IsOnlyMutatingGCFields in pkg/registry/rbac/helpers.go
 */
export function onlyChangesGCFields(object: WithMetadata, old: WithMetadata | undefined): boolean {
  if (old === undefined) return false;
  const { ownerReferences, finalizers, selfLink } = old.metadata;
  return semanticEqual({ ...object, metadata: { ...object.metadata, ownerReferences, finalizers, selfLink } }, old);
}
