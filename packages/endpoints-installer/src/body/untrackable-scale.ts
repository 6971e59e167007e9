import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { OpenedBody } from './body-kind.js';

/**
 * Reports whether an update of a custom resource's scale has no apiVersion. Upstream finds no type for its managed fields
 * then, and drops them.
 *
 * Upstream: UpdateNoErrors of k8s.io/apimachinery/pkg/util/managedfields/fieldmanager.go
 */
export function isUntrackableScale(
  { kindPolicy, resourcePolicy }: EndpointScope,
  { apiVersion }: Pick<OpenedBody, 'apiVersion'>,
): boolean {
  return kindPolicy.body.refusesOtherKinds && !resourcePolicy.openApi.isInScheme && apiVersion === '';
}
