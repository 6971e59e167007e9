import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { prefersGzip } from '../negotiation/content-encoding.js';
import { parseAccept } from '../negotiation/parse-accept.js';
import { serveContent } from './content/serve-content.js';
import { relativeUrl } from './open-api-documents.js';
import {
  type DocumentForm,
  gzipBytes,
  MIN_GZIP_BYTES,
  type SerializedDocument,
} from './serialized/serialized-document.js';

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
  return serveDocument(exchange, document, { ...form, compresses });
}

/**
 * Responds with the list of v3 documents, regardless of the Accept header, like servers without an aggregator. Behind
 * kube-aggregator upstream leaves the type to Go, which guesses plain text, and has no ETag.
 *
 * Upstream: HandleDiscovery in k8s.io/kube-openapi/pkg/handler3/handler.go
 */
export function respondV3Index(exchange: Exchange, index: SerializedDocument): Promise<ApiResponse> {
  return serveDocument(exchange, index, { form: 'json', contentType: 'application/json', compresses: false });
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
  return serveDocument(exchange, document, { ...form, compresses: false });
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

async function serveDocument(
  exchange: Exchange,
  document: SerializedDocument,
  { form, contentType, compresses }: Omit<ServedForm, 'subtype'> & { readonly compresses: boolean },
): Promise<ApiResponse> {
  const content = { etag: `"${document.hash}"`, lastModified: document.lastModified, contentType };
  const served = await serveContent(exchange, { ...content, bytes: () => document.bytes(form) });
  if (!compresses || served.type !== 'bytes' || served.body === undefined) return served;
  const { body } = served;
  if (body.length < MIN_GZIP_BYTES) return served;
  exchange.responseHeaders.set('Content-Encoding', 'gzip');
  const isWhole = body === (await document.bytes(form));
  return { ...served, body: isWhole ? await document.gzip(form) : await gzipBytes(body) };
}
