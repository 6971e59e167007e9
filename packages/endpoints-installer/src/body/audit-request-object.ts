import type { KubeObject } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { inTurns, type YieldToEventLoop } from './event-loop-turns.js';

/**
 * Hands the decoded object of a request to its audit event, before anything changes it. Undefined: nothing to await.
 * Upstream: LogRequestObject of k8s.io/apiserver/pkg/audit
 */
export function auditRequestObject(
  scope: EndpointScope,
  { context: { audit } }: Exchange,
  object: KubeObject,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> | undefined {
  if (audit === undefined) return undefined;
  audit.requestTarget(object.metadata);
  if (!audit.wantsRequestObject) return undefined;
  const shown = scope.toVersion(object);
  if (yieldToEventLoop === undefined) {
    audit.requestObject(scope.codec.encodeJson(shown));
    return undefined;
  }
  return inTurns(scope.codec.encodeJsonSteps(shown), yieldToEventLoop).then((json) => audit.requestObject(json));
}
