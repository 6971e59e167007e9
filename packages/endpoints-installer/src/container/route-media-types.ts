import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { checkRouteAccept } from '../negotiation/check-route-accept.js';
import { streamMediaTypes } from '../negotiation/media-types.js';
import { withApplyCbor } from '../negotiation/patch-types.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/**
 * Rejects requests before their handler: patches of an unknown type (415), and Accept headers without a supported
 * encoding (406).
 *
 * Upstream: detectRoute in github.com/emicklei/go-restful
 */
export function routeMediaTypesCheck(scope: EndpointScope, verb: string): (exchange: Exchange) => void {
  const streams = isCollectionRead(verb) ? streamMediaTypes(scope.mediaTypes) : [];
  const ofStream = scope.storage.streamer === undefined ? [] : ['text/plain'];
  const available = [...ofStream, ...scope.mediaTypes, ...streams];
  let lastAccepted: string | undefined;
  return (exchange) => {
    if (exchange.request.inProcess) return;
    if (verb === 'patch') checkPatchType(scope, exchange);
    const accept = exchange.request.headers.get('accept');
    if (accept === lastAccepted) return;
    checkRouteAccept(exchange, available);
    if (accept === undefined || accept.length <= MAX_REMEMBERED) lastAccepted = accept;
  };
}

/** A longer Accept header would take memory for each route. */
const MAX_REMEMBERED = 256;

function isCollectionRead(verb: string): boolean {
  return verb === 'list' || verb === 'watch';
}

/** At least one of several types must be supported. The handler checks the rest. */
function checkPatchType(scope: EndpointScope, { request }: Exchange): void {
  const types: readonly string[] = withApplyCbor(scope.resourcePolicy.patchTypes, scope.environment.cbor);
  const named = (request.headers.get('content-type') ?? '')
    .split(',')
    .map((type) => type.split(';', 1)[0]?.trim() ?? '');
  if (named.some((type) => types.includes(type))) return;
  throw newGenericServerResponse({ code: 415, serverMessage: '415: Unsupported Media Type' });
}
