import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { newConflict } from '@apiserver/apimachinery/errors';
import type { GenericStore, GracefulDeleter } from '@apiserver/apiserver-contracts';
import { CLEANUP_FINALIZER, setCondition } from './types.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

type Delete = GracefulDeleter<CustomResourceDefinition>['delete'];

/**
 * Deletes a definition: the first DELETE marks it, and it stays until the finalizing controller has deleted its
 * objects.
 * Upstream: REST.Delete of k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go
 */
export function deleteDefinition(generic: GenericStore<CustomResourceDefinition>): Delete {
  return async (context, name, validate, options) => {
    const existing = await generic.get(context, name, {});
    const { metadata } = existing.object;
    const uid = options.preconditions?.uid ?? metadata.uid;
    if (uid !== metadata.uid) {
      const cause = `Precondition failed: UID in precondition: ${uid ?? ''}, UID in object meta: ${metadata.uid ?? ''}`;
      throw newConflict(DEFINITIONS, name, cause);
    }
    const bound = { ...options, preconditions: { ...options.preconditions, ...(uid !== undefined && { uid }) } };
    if (metadata.deletionTimestamp) return generic.delete(context, name, validate, bound);
    const stored = await generic.modify(context, name, bound, async (draft, current) => {
      await validate(current);
      draft.metadata.deletionTimestamp ??= generic.now();
      const finalizers = draft.metadata.finalizers ?? [];
      if (!finalizers.includes(CLEANUP_FINALIZER)) draft.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
      const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
      setCondition(
        draft,
        { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message },
        generic.now(),
      );
    });
    return { stored, deleted: false };
  };
}
