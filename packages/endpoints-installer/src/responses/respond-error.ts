import { isStatusError, newInternalError, type Status } from '@apiserver/apimachinery';
import type { ApiResponse, Exchange, Logger } from '@apiserver/apiserver-contracts';
import { builtInMediaTypes } from '../negotiation/media-types.js';
import { negotiateOutput, plainOutputOnly } from '../negotiation/negotiate-output.js';
import { encodeStatus } from './encode-status.js';
import { indentJson } from './indent-json.js';
import { finishJson } from './respond-object.js';

/**
 * Turns whatever was thrown into the answer: the one place where errors leave the server. A StatusError is answered as
 * it stands, in the encoding the client asked for or, where that fails, as indented JSON; anything else is a bug: logged
 * whole, answered as an InternalError. In-process callers get the Status as a value.
 *
 * Upstream: ErrorNegotiated in k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go
 */
export function respondError(exchange: Exchange, error: unknown, logger: Logger): ApiResponse {
  const status = statusOfError(exchange, error, logger);
  const code = status.code ?? 500;
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  if (retryAfter > 0) exchange.responseHeaders.set('Retry-After', String(retryAfter));
  return respondStatus(exchange, code, status);
}

/** Answers with a Status, negotiated; the HTTP code is `code`, whatever the Status says. */
export function respondStatus(exchange: Exchange, code: number, status: Status): ApiResponse {
  if (exchange.request.inProcess) return { type: 'value', status: code, value: { ...status } };
  const { request, responseHeaders } = exchange;
  const output = negotiateOutput(request.headers.get('accept'), builtInMediaTypes, plainOutputOnly);
  const mediaType = output?.mediaType ?? 'application/json';
  responseHeaders.set('Content-Type', mediaType);
  const bytes = encodeStatus(status, mediaType);
  if (output === undefined) return { type: 'bytes', status: code, body: indentJson(bytes) };
  return {
    type: 'bytes',
    status: code,
    body: mediaType === 'application/json' ? finishJson(exchange, output, bytes) : bytes,
  };
}

function statusOfError(exchange: Exchange, error: unknown, logger: Logger): Status {
  if (isStatusError(error)) return { ...error.status, kind: 'Status', apiVersion: 'v1' };
  const { method, path } = exchange.request;
  // A client that has gone breaks off whatever is under way: nobody's bug, and nobody reads the answer.
  if (exchange.signal.aborted && error === exchange.signal.reason) {
    logger.v(4)?.info('Request ended before its answer', { method, path });
  } else {
    logger.error(error, 'Unexpected error while handling a request', { method, path });
  }
  return newInternalError(error).status;
}
