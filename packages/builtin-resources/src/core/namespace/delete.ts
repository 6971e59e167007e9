import type { Namespace } from '@apiserver/api/core/v1';
import {
  type DeleteOptions,
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type ObjectMeta,
} from '@apiserver/apimachinery';
import { newConflict } from '@apiserver/apimachinery/errors';
import type { GenericStore, GracefulDeleter } from '@apiserver/apiserver-contracts';

const NAMESPACES = { group: '', resource: 'namespaces' };

type Delete = GracefulDeleter<Namespace>['delete'];

/**
 * The deletion of a namespace. The first DELETE marks it as Terminating. While its spec has finalizers, further ones
 * return it unchanged. After that, it is deleted as any object.
 * Upstream: REST.Delete of pkg/registry/core/namespace/storage/storage.go
 */
export function deleteNamespace(generic: GenericStore<Namespace>): Delete {
  return async (context, name, validate, options) => {
    const existing = await generic.get(context, name, {});
    const bound = boundToExisting(existing.object, options);
    if (!existing.object.metadata.deletionTimestamp) {
      const stored = await generic.modify(context, name, bound, async (draft, current) => {
        await validate(current);
        startTerminating(draft, bound, generic.now());
      });
      return { stored, deleted: false };
    }
    if ((existing.object.spec.finalizers ?? []).length > 0) return { stored: existing, deleted: false };
    return generic.delete(context, name, validate, bound);
  };
}

/** The options with a precondition on the UID, so that a recreated namespace is never deleted. */
function boundToExisting({ metadata }: Namespace, options: DeleteOptions): DeleteOptions {
  const { uid = metadata.uid, resourceVersion } = options.preconditions ?? {};
  checkPrecondition(metadata, 'UID', uid, metadata.uid);
  if (resourceVersion !== undefined) {
    checkPrecondition(metadata, 'ResourceVersion', resourceVersion, metadata.resourceVersion);
  }
  return { ...options, preconditions: { ...options.preconditions, ...(uid === undefined ? undefined : { uid }) } };
}

function checkPrecondition(
  metadata: ObjectMeta,
  what: 'UID' | 'ResourceVersion',
  wanted: string | undefined,
  actual: string | undefined,
): void {
  if (wanted === actual) return;
  const cause = `Precondition failed: ${what} in precondition: ${wanted ?? ''}, ${what} in object meta: ${actual ?? ''}`;
  throw newConflict(NAMESPACES, metadata.name ?? '', cause);
}

/** Marks a namespace for deletion: it accepts no new content and waits for its content to be deleted. Mutates. */
function startTerminating(namespace: Namespace, options: DeleteOptions, now: string): void {
  const { metadata } = namespace;
  metadata.deletionTimestamp ??= now;
  namespace.status.phase = 'Terminating';
  const finalizers = deletionFinalizers(metadata.finalizers ?? [], options);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

/** The finalizers of the metadata, with the garbage collector's two as the options request. */
function deletionFinalizers(current: readonly string[], options: DeleteOptions): string[] {
  const { orphanDependents, propagationPolicy } = options;
  const wanted = new Map([
    [FINALIZER_ORPHAN_DEPENDENTS, orphanDependents ?? is('Orphan', propagationPolicy)],
    [FINALIZER_DELETE_DEPENDENTS, not(orphanDependents) ?? is('Foreground', propagationPolicy)],
  ]);
  const kept = current.filter((name) => wanted.get(name) !== false);
  const added = [...wanted].filter(([name, want]) => want && !current.includes(name)).map(([name]) => name);
  return [...kept, ...added];
}

function is(policy: string, requested: string | undefined): boolean | undefined {
  return requested === undefined ? undefined : requested === policy;
}

function not(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}
