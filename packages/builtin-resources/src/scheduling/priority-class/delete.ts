import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import { newForbidden } from '@apiserver/apimachinery/errors';
import type { GenericStore, GracefulDeleter } from '@apiserver/apiserver-contracts';
import { systemPriorityClasses } from './system-priority-classes.js';

const PRIORITY_CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
const FAULT = 'this is a system priority class and cannot be deleted';

/**
 * Refuses to delete a system class.
 * Upstream: REST.Delete of pkg/registry/scheduling/priorityclass/storage/storage.go
 */
export function deletePriorityClass(generic: GenericStore<PriorityClass>): GracefulDeleter<PriorityClass>['delete'] {
  return async (context, name, validate, options) => {
    if (systemPriorityClasses.some((known) => known.name === name)) {
      throw newForbidden(PRIORITY_CLASSES, name, new Error(FAULT));
    }
    return generic.delete(context, name, validate, options);
  };
}
