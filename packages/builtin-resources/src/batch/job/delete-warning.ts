import type { Job } from '@apiserver/api/batch/v1';
import type { DeleteOptions } from '@apiserver/apimachinery';
import type { CollectionDeleter, GenericStore, GracefulDeleter, VerbContext } from '@apiserver/apiserver-contracts';

const WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/**
 * Deletion of jobs. Warns if the request has no propagation policy, because the default differs from other kinds.
 * Upstream: REST.Delete of pkg/registry/batch/job/storage/storage.go
 */
export function jobDeletion(generic: GenericStore<Job>): GracefulDeleter<Job> & CollectionDeleter<Job> {
  return {
    delete(context, name, validate, options) {
      warnOfOrphans(context, options);
      return generic.delete(context, name, validate, options);
    },
    deleteCollection(context, validate, options, listOptions) {
      warnOfOrphans(context, options);
      return generic.deleteCollection(context, validate, options, listOptions);
    },
  };
}

function warnOfOrphans({ warnings }: VerbContext, { orphanDependents, propagationPolicy }: DeleteOptions): void {
  if (orphanDependents === undefined && propagationPolicy === undefined) warnings.warn(WARNING);
}
