import { newGenericServerResponse } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { patchTypes } from '../handlers/patch-mechanism.js';
import { bareMediaType } from '../negotiation/bare-media-type.js';
import { checkRouteAccept } from '../negotiation/check-route-accept.js';
import { streamMediaTypes } from '../negotiation/media-types.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/**
 * What a route refuses before its handler is asked: patches of an unknown type (415), and Accept headers that name none
 * of its encodings (406).
 *
 * Upstream: detectRoute in github.com/emicklei/go-restful
 */
export function checkRouteMediaTypes(scope: EndpointScope, verb: string, exchange: Exchange): void {
  if (exchange.request.inProcess) return;
  if (verb === 'patch') checkPatchType(scope, exchange);
  const streams = isCollectionRead(verb) ? streamMediaTypes(scope.mediaTypes) : [];
  const ofStream = scope.storage.streamer === undefined ? [] : ['text/plain'];
  checkRouteAccept(exchange, [...ofStream, ...scope.mediaTypes, ...streams]);
}

function isCollectionRead(verb: string): boolean {
  return verb === 'list' || verb === 'watch';
}

/** Without a body it is the handler that refuses, in other words. */
function checkPatchType(scope: EndpointScope, { request }: Exchange): void {
  const types: readonly string[] = patchTypes(scope.codec.schema.semantics, scope.environment.cbor);
  if (types.includes(bareMediaType(request.headers.get('content-type') ?? ''))) return;
  if (Number(request.headers.get('content-length') ?? 0) > 0) {
    throw newGenericServerResponse({ code: 415, serverMessage: '415: Unsupported Media Type' });
  }
}
