import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { builtInMediaTypes, type MediaType } from '../negotiation/media-types.js';
import {
  negotiateOutput,
  notAcceptable,
  type OutputMediaType,
  type OutputRestrictions,
  plainOutputOnly,
  type TransformTarget,
} from '../negotiation/negotiate-output.js';
import { respondBytes } from '../responses/respond-bytes.js';
import { finishJson } from '../responses/respond-object.js';
import type { DiscoveryDocument } from './discovery-document.js';

/** Responds with a discovery document. Throws the 406 that lists the encodings. */
export function respondDocument(exchange: Exchange, document: DiscoveryDocument): ApiResponse | Promise<ApiResponse> {
  if (exchange.request.inProcess) {
    auditDocument(exchange, document);
    return respondValue(document);
  }
  const output = negotiateOutput(exchange.request.headers.get('accept'), builtInMediaTypes, plainOutputOnly);
  if (output === undefined) throw notAcceptable(builtInMediaTypes);
  return respondEncoded(exchange, document, output, output.mediaType);
}

/**
 * The profile of aggregated discovery that leaves out other kube-apiservers. Upstream: AcceptV2NoPeer of
 * k8s.io/client-go/discovery
 */
export const WITHOUT_PEERS = 'nopeer';

/** The negotiated form of aggregated discovery; undefined for plain documents and unknown forms. */
export function negotiateAggregated(exchange: Exchange): OutputMediaType | undefined {
  const accept = exchange.request.headers.get('accept');
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  return negotiateOutput(accept, builtInMediaTypes, aggregatedOnly);
}

/**
 * Plain encodings are ignored: the aggregated form is accepted at any place in the header.
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/{wrapper,negotiation}.go
 */
const aggregatedOnly: OutputRestrictions = {
  allowsTransform: (_mediaType, target) => isAggregated(target),
  allowsServerVersion: () => false,
};

function isAggregated(target: TransformTarget | undefined): boolean {
  return target?.group === 'apidiscovery.k8s.io' && target.version === 'v2' && target.kind === 'APIGroupDiscoveryList';
}

/**
 * Responds with aggregated discovery, or with 304 if the client has the current one. Caches may store it.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/etag.go
 */
export function respondAggregated(
  exchange: Exchange,
  document: DiscoveryDocument,
  output: OutputMediaType,
): ApiResponse | Promise<ApiResponse> {
  const { request, responseHeaders } = exchange;
  const etag = `"${document.etag()}"`;
  responseHeaders.set('ETag', etag);
  responseHeaders.set('Vary', 'Accept');
  responseHeaders.set('Cache-Control', 'public');
  if (request.headers.get('if-none-match') === etag) return { type: 'bytes', status: 304, body: undefined };
  return respondEncoded(exchange, document, output, contentTypeOf(output));
}

function contentTypeOf({ mediaType, transform }: OutputMediaType): string {
  if (transform === undefined) return mediaType;
  return `${mediaType};g=${transform.group};v=${transform.version};as=${transform.kind}`;
}

function respondEncoded(
  exchange: Exchange,
  document: DiscoveryDocument,
  output: { readonly mediaType: MediaType; readonly pretty: boolean },
  contentType: string,
): ApiResponse | Promise<ApiResponse> {
  auditDocument(exchange, document);
  exchange.responseHeaders.set('Content-Type', contentType);
  const bytes = document.encode(output.mediaType);
  const body = output.mediaType === 'application/json' ? finishJson(exchange, output, bytes) : bytes;
  return respondBytes(exchange, 200, body);
}

function auditDocument({ context: { audit } }: Exchange, document: DiscoveryDocument): void {
  if (audit?.wantsResponseObject) audit.responseObject([document.encode('application/json')]);
}

function respondValue({ value }: DiscoveryDocument): ApiResponse {
  return { type: 'value', status: 200, value: { kind: '', apiVersion: '', metadata: {}, ...value } };
}
