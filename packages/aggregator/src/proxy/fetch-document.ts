import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { BackendTransport } from '@apiserver/proxy';
import { identityHeaders } from './remote-request.js';
import type { ServiceAddress } from './service-resolver.js';

const DEFAULT_TIMEOUT_MS = 5_000;
/** Maximum size of a document; actual ones are much smaller. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The identity of the aggregator for remote servers, with unlimited read access. */
const AGGREGATOR: UserInfo = { name: 'system:kube-aggregator', groups: ['system:masters'], extra: {} };

/** The response of a remote server. */
export interface FetchedDocument {
  readonly status: number;
  readonly contentType: string;
  /** "" if the server gives none. */
  readonly etag: string;
  readonly body: string;
}

/** A request for a document. */
export interface DocumentRequest {
  readonly address: ServiceAddress;
  readonly transport: BackendTransport;
  readonly path: string;
  readonly accept: string;
  /** Default: the aggregator. */
  readonly user?: UserInfo;
  /** Further headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: five seconds. */
  readonly timeoutMilliseconds?: number;
  /** Default: 16 MiB. */
  readonly maxBytes?: number;
}

/** Gets a document with an identity of this server. Throws an Error with Go's message. */
export async function fetchDocument(request: DocumentRequest): Promise<FetchedDocument> {
  const { address, transport, path, accept, user = AGGREGATOR, maxBytes = MAX_BYTES } = request;
  const { dialErrorText, fetchKept, hostOf, locationText, readText } = await import('@apiserver/proxy');
  const { hostname } = address;
  const location = { scheme: 'https', hostname, port: String(address.port), path, rawQuery: '' } as const;
  const identity = [...identityHeaders(user)].map(([name, values]) => [name, values]);
  const headers = {
    Host: hostOf(location),
    Accept: accept,
    ...request.headers,
    ...Object.fromEntries(identity),
  };
  const signal = AbortSignal.timeout(request.timeoutMilliseconds ?? DEFAULT_TIMEOUT_MS);
  const url = locationText(location);
  try {
    const response = await fetchKept(location, transport, { method: 'GET', headers }, signal);
    const body = await readText(response, maxBytes, () => new Error('the response is too large'));
    const { 'content-type': contentType = '', etag = '' } = response.headers;
    return { status: response.statusCode ?? 0, contentType, etag, body };
  } catch (error) {
    const reason = signal.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : dialErrorText(error, location);
    throw new Error(`Get "${url}": ${reason}`, { cause: error });
  }
}
