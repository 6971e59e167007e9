import type { EndpointScope } from '../scope/endpoint-scope.js';
import { openBody } from './body-kind.js';
import type { SentBody } from './decode-body.js';

/**
 * Reports whether an update of a custom resource's scale, which was decoded before, has no apiVersion. Upstream finds no
 * type for its managed fields then, and drops them.
 *
 * Upstream: UpdateNoErrors of k8s.io/apimachinery/pkg/util/managedfields/fieldmanager.go
 */
export function isUntrackableScale(scope: EndpointScope, body: SentBody): boolean {
  const isCustomScale = scope.kindPolicy.body.refusesOtherKinds && !scope.resourcePolicy.openApi.isInScheme;
  if (!isCustomScale || body === undefined) return false;
  return openBody(body.bytes, body.mediaType, scope.environment.cbor).apiVersion === '';
}
