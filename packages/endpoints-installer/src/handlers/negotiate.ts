import type { Exchange } from '@apiserver/apiserver-contracts';
import { isStreamable, streamMediaTypes } from '../negotiation/media-types.js';
import { negotiateOutput, notAcceptable, type OutputMediaType } from '../negotiation/negotiate-output.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/**
 * The negotiated form of the response; undefined for in-process callers, which receive values. Throws the 406 that
 * lists the endpoint's encodings.
 */
export function negotiate(scope: EndpointScope, exchange: Exchange): OutputMediaType | undefined {
  if (exchange.request.inProcess) return undefined;
  const output = negotiateOutput(exchange.request.headers.get('accept'), scope.mediaTypes, scope);
  if (output === undefined) throw notAcceptable(scope.mediaTypes);
  return output;
}

/** Throws a 406 for an encoding that a watch does not support. */
export function checkStreamable(scope: EndpointScope, output: OutputMediaType | undefined): void {
  if (output === undefined) return;
  if (!isStreamable(output.mediaType)) throw notAcceptable(streamMediaTypes(scope.mediaTypes));
}
