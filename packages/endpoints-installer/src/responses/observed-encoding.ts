import type {
  ApiResponse,
  BytesResponse,
  ChunksResponse,
  Exchange,
  RequestAudit,
  TraceSpan,
} from '@apiserver/apiserver-contracts';
import { encodingFields } from '../scope/trace-fields.js';

const SERIALIZE = 'serialize-response-object';

/** Does what precedes the encoding of a response. An audited request gets the time that it takes. */
export function observedTransform<R>({ context: { audit } }: Exchange, transform: () => R): R {
  if (audit === undefined) return transform();
  const begun = performance.now();
  const result = transform();
  audit.spend('transform-response-object', performance.now() - begun);
  return result;
}

/**
 * Encodes a response. A traced request gets a span of it that ends with the response, an audited one the time that it
 * takes. Upstream counts the time of writing as well.
 * Upstream: SerializeObject of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go
 */
export function observedEncoding(exchange: Exchange, mediaType: string, encode: () => BytesResponse): ApiResponse;
export function observedEncoding(
  exchange: Exchange,
  mediaType: string,
  encode: () => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse>;
export function observedEncoding(
  exchange: Exchange,
  mediaType: string,
  encode: () => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse> {
  const { audit, span } = exchange.context;
  if (audit === undefined && span === undefined) return encode();
  const encoding = span?.start('SerializeObject', encodingFields(exchange, mediaType));
  if (encoding !== undefined) endsWithResponse(exchange, encoding);
  const begun = performance.now();
  const encoded = (response: ApiResponse): ApiResponse => {
    audit?.spend(SERIALIZE, performance.now() - begun);
    const size = response.type === 'bytes' ? (response.body?.length ?? 0) : 0;
    encoding?.addEvent('About to start writing response', { size });
    if (audit === undefined || response.type !== 'chunks') return response;
    return { ...response, chunks: timedChunks(response.chunks, audit) };
  };
  const result = encode();
  return result instanceof Promise ? result.then(encoded) : encoded(result);
}

function endsWithResponse(exchange: Exchange, span: TraceSpan): void {
  exchange.onFinished(({ bytesWritten: size, aborted }) => {
    span.addEvent(aborted ? 'Write call failed' : 'Write call succeeded', { size });
    span.end();
  });
}

/** The time between two chunks belongs to their writer. */
async function* timedChunks(chunks: ChunksResponse['chunks'], audit: RequestAudit): AsyncGenerator<Uint8Array, void> {
  let begun = performance.now();
  for await (const chunk of chunks) {
    const made = performance.now();
    audit.spend(SERIALIZE, made - begun);
    yield chunk;
    begun = performance.now();
    audit.spend('response-write', begun - made);
  }
  audit.spend(SERIALIZE, performance.now() - begun);
}
