import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { MAX_ALTERNATIVES } from './parse-accept.js';

/**
 * Rejects an Accept header without a type that the route has, before the handler negotiates. As upstream, only full
 * wildcards count as ranges, and qualities are ignored. Throws the 406 that lists `available`.
 *
 * Upstream: detectRoute in github.com/emicklei/go-restful
 */
export function checkRouteAccept({ request }: Exchange, available: readonly string[]): void {
  const accept = request.headers.get('accept');
  if (accept === undefined || accept === '' || namesAny(accept, ['*/*', ...available])) return;
  const representations = `Available representations: ${available.join(', ')}`;
  throw newGenericServerResponse({ code: 406, serverMessage: `406: Not Acceptable\n\n${representations}` });
}

/**
 * Rejects a Content-Type that a GET route does not consume: with a 415, also without a body.
 *
 * Upstream: matchesContentType in github.com/emicklei/go-restful
 */
export function checkRouteContentType({ request }: Exchange, consumed: readonly string[]): void {
  const type = request.headers.get('content-type');
  if (type === undefined || type === '' || namesAny(type, consumed)) return;
  throw newGenericServerResponse({ code: 415, serverMessage: '415: Unsupported Media Type' });
}

/** Reports whether a header has one of the types. */
function namesAny(header: string, types: readonly string[]): boolean {
  return header.split(',', MAX_ALTERNATIVES).some((alternative) => {
    const named = alternative.split(';', 1)[0]?.trim() ?? '';
    return types.includes(named);
  });
}
