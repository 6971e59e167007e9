import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GroupResource } from '@apiserver/apimachinery';
import {
  newBadRequest,
  newGenericServerResponse,
  newInternalError,
  plainFailure,
} from '@apiserver/apimachinery/errors';
import { type BackendLocation, type BackendTransport, hostOf, locationText } from './backend.js';
import { dialErrorText } from './dial-error.js';
import { fetchKept } from './fetch-kept.js';

/** The purpose of a stream, for error messages, and its abort signal. */
export interface StreamPurpose {
  readonly resource: GroupResource;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Maximum number of bytes read of an error response. Upstream: maxReadLength in generic/rest/response_checker.go */
const MAX_REFUSAL_BYTES = 50_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Streams the body of a backend's response. Throws a StatusError if the backend does not respond, refuses, or
 * redirects.
 * Upstream: LocationStreamer and GenericHttpResponseChecker in k8s.io/apiserver/pkg/registry/generic/rest
 */
export async function openStream(
  location: BackendLocation,
  transport: BackendTransport,
  purpose: StreamPurpose,
): Promise<AsyncIterable<Uint8Array>> {
  const headers = { Host: hostOf(location), 'User-Agent': 'kube-apiserver' };
  const failed = (reason: string) => plainFailure(500, `Get "${locationText(location)}": ${reason}`);
  let response: IncomingMessage;
  try {
    response = await fetchKept(location, transport, { method: 'GET', headers }, purpose.signal);
  } catch (error) {
    if (purpose.signal.aborted) throw purpose.signal.reason;
    throw failed(dialErrorText(error, location));
  }
  const code = response.statusCode ?? 0;
  if (REDIRECTS.has(code) && response.headers.location !== undefined) {
    response.destroy();
    throw failed('redirects forbidden');
  }
  if (code < 200 || code > 206) throw await refusal(response, code, purpose);
  return response;
}

async function refusal(response: IncomingMessage, code: number, { resource, name }: StreamPurpose): Promise<Error> {
  let text: string;
  try {
    text = await refusalText(response);
  } catch {
    return newInternalError('unexpected EOF');
  }
  if (code === 500) return newInternalError(new Error(text));
  if (code === 400) return newBadRequest(text);
  return newGenericServerResponse({ code, resource, name, serverMessage: text });
}

/** Throws if the response ends too early. */
async function refusalText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_REFUSAL_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REFUSAL_BYTES).toString();
}
