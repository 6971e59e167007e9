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
  if (accept === undefined || accept === '' || acceptsAny(accept, available)) return;
  const representations = `Available representations: ${available.join(', ')}`;
  throw newGenericServerResponse({ code: 406, serverMessage: `406: Not Acceptable\n\n${representations}` });
}

function acceptsAny(accept: string, available: readonly string[]): boolean {
  return accept.split(',', MAX_ALTERNATIVES).some((alternative) => {
    const named = alternative.split(';', 1)[0]?.trim() ?? '';
    return named === '*/*' || available.includes(named);
  });
}
