import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { prefersGzip } from '../negotiation/content-encoding.js';
import { parseAccept } from '../negotiation/parse-accept.js';
import { relativeUrl } from './open-api-documents.js';
import { type DocumentForm, MIN_GZIP_BYTES, type SerializedDocument } from './serialized-document.js';

/** A media type that a document is served in. */
interface ServedForm {
  readonly subtype: string;
  readonly form: DocumentForm;
  readonly contentType: string;
}

/** The forms of a version, the default first. The names with an at sign are older and violate RFC 6838. */
function servedForms(version: 'v2' | 'v3'): readonly ServedForm[] {
  const contentType = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
  return [
    { subtype: 'json', form: 'json', contentType: 'application/json' },
    { subtype: `com.github.proto-openapi.spec.${version}@v1.0+protobuf`, form: 'protobuf', contentType },
    { subtype: `com.github.proto-openapi.spec.${version}.v1.0+protobuf`, form: 'protobuf', contentType },
  ];
}

const forms = { v2: servedForms('v2'), v3: servedForms('v3') };

/** Responds with a whole document in the negotiated form, or with an empty 406. */
export async function respondV2(exchange: Exchange, document: SerializedDocument): Promise<ApiResponse> {
  exchange.responseHeaders.append('Vary', 'Accept-Encoding');
  exchange.responseHeaders.append('Vary', 'Accept');
  const form = negotiateForm(exchange, forms.v2);
  if (form === undefined) return notAcceptable;
  // Upstream compresses while it writes, and a HEAD writes nothing.
  const compresses = exchange.request.method !== 'HEAD' && prefersGzip(exchange.request);
  return respondContent(exchange, document, { ...form, compresses });
}

/**
 * Responds with the list of v3 documents, regardless of the Accept header, like servers without an aggregator. Behind
 * kube-aggregator upstream leaves the type to Go, which guesses plain text, and has no ETag.
 *
 * Upstream: HandleDiscovery in k8s.io/kube-openapi/pkg/handler3/handler.go
 */
export function respondV3Index(exchange: Exchange, index: SerializedDocument): Promise<ApiResponse> {
  return respondContent(exchange, index, { form: 'json', contentType: 'application/json', compresses: false });
}

/**
 * Responds with one v3 document. With the right hash in the URL it may be cached forever; with an old one the client is
 * redirected.
 *
 * Upstream: HandleGroupVersion in k8s.io/kube-openapi/pkg/handler3/handler.go
 */
export async function respondV3(
  exchange: Exchange,
  name: string,
  document: SerializedDocument,
  now: () => number,
): Promise<ApiResponse> {
  const { request, responseHeaders } = exchange;
  responseHeaders.append('Vary', 'Accept');
  const form = negotiateForm(exchange, forms.v3);
  if (form === undefined) return notAcceptable;
  const hash = request.query.get('hash') ?? '';
  if (hash !== '' && hash !== document.hash) {
    responseHeaders.set('Content-Type', form.contentType);
    responseHeaders.set('ETag', `"${document.hash}"`);
    responseHeaders.set('Location', relativeUrl(name, document.hash));
    return { type: 'bytes', status: 301, body: undefined };
  }
  if (hash !== '') {
    responseHeaders.set('Cache-Control', 'public, immutable');
    responseHeaders.set('Expires', inOneYear(now()));
  }
  return respondContent(exchange, document, { ...form, compresses: false });
}

/** The date in a year, in Go's format of RFC 1123 for UTC. */
function inOneYear(now: number): string {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toUTCString().replace('GMT', 'UTC');
}

const notAcceptable: ApiResponse = { type: 'bytes', status: 406, body: undefined };

function negotiateForm({ request }: Exchange, served: readonly ServedForm[]): ServedForm | undefined {
  const accept = request.headers.get('accept') ?? '';
  for (const { type, subtype } of parseAccept(accept === '' ? '*/*' : accept)) {
    if (type !== 'application' && type !== '*') continue;
    const found = subtype === '*' ? served[0] : served.find((form) => form.subtype === subtype);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Upstream: Go's http.ServeContent, without ranges */
async function respondContent(
  exchange: Exchange,
  document: SerializedDocument,
  served: Omit<ServedForm, 'subtype'> & { readonly compresses: boolean },
): Promise<ApiResponse> {
  const { request, responseHeaders } = exchange;
  responseHeaders.set('ETag', `"${document.hash}"`);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isKnown = hasTag(exchange, document);
  if (isRead && (isKnown ?? isUnmodifiedSince(exchange, document))) {
    return { type: 'bytes', status: 304, body: undefined };
  }
  responseHeaders.set('Content-Type', served.contentType);
  responseHeaders.set('Last-Modified', new Date(document.lastModified).toUTCString());
  if (isKnown) return { type: 'bytes', status: 412, body: undefined };
  const bytes = await document.bytes(served.form);
  const compressed = served.compresses && bytes.length >= MIN_GZIP_BYTES;
  if (compressed) responseHeaders.set('Content-Encoding', 'gzip');
  return respondBody(exchange, compressed ? await document.gzip(served.form) : bytes);
}

function respondBody({ request, responseHeaders }: Exchange, body: Uint8Array): ApiResponse {
  if (request.method !== 'HEAD') return { type: 'bytes', status: 200, body };
  responseHeaders.set('Content-Length', String(body.length));
  return { type: 'bytes', status: 200, body: undefined };
}

/** Reports whether the client knows the document's hash. Undefined: it knows none. */
function hasTag({ request: { headers } }: Exchange, { hash }: SerializedDocument): boolean | undefined {
  const known = headers.get('if-none-match') ?? '';
  if (known === '') return undefined;
  return known.split(',').some((tag) => ['*', `"${hash}"`].includes(tag.trim().replace(/^W\//, '')));
}

/** Compares whole seconds. */
function isUnmodifiedSince({ request: { headers } }: Exchange, { lastModified }: SerializedDocument): boolean {
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return !Number.isNaN(since) && Math.floor(lastModified / 1000) * 1000 <= since;
}
