import type { Status } from '@apiserver/apimachinery';
import { isStatusError, newInternalError, type StatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, BytesResponse, Exchange, Logger } from '@apiserver/apiserver-contracts';
import { inTurns } from '../body/event-loop-turns.js';
import { builtInMediaTypes, withCbor } from '../negotiation/media-types.js';
import { negotiateOutput, type OutputMediaType, plainOutputOnly } from '../negotiation/negotiate-output.js';
import type { Cbor } from '../scope/cbor.js';
import { encodeStatus, encodeStatusYamlSteps } from './encode-status.js';
import { indentJson } from './indent-json.js';
import { observedEncoding } from './observed-encoding.js';
import { finishJson } from './respond-object.js';

/** Upstream: checkWriteHeaderCode of Go's net/http */
const MAX_CODE = 999;

/**
 * Converts any error to a response: the only place where errors leave the server. A StatusError is returned unchanged,
 * in the requested encoding or, if that fails, as indented JSON. Any other error is a bug: it is logged completely and
 * returned as an InternalError. In-process callers get the Status as a value. Throws a TypeError for a code that HTTP
 * does not have; panicRecovery then responds. `cbor` is set if CBOR is served.
 *
 * Upstream: ErrorNegotiated in k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go
 */
export function respondError(exchange: Exchange, error: unknown, logger: Logger, cbor?: Cbor): ApiResponse {
  const status = statusOfError(exchange, error, logger);
  const code = status.code ?? 500;
  setRetryAfter(exchange, status);
  return respondStatus(exchange, code, status, { cbor });
}

function setRetryAfter({ responseHeaders }: Exchange, { details }: Status): void {
  const retryAfter = details?.retryAfterSeconds ?? 0;
  if (retryAfter > 0) responseHeaders.set('Retry-After', String(retryAfter));
}

/** As `respondError`, in several turns for a long message, because YAML scans it several times. `turn` begins each. */
export async function respondErrorInTurns(
  exchange: Exchange,
  error: StatusError,
  { logger, turn }: { readonly logger: Logger; readonly turn: () => Promise<void> },
): Promise<ApiResponse> {
  await turn();
  const { request } = exchange;
  const output = negotiateOutput(request.headers.get('accept'), builtInMediaTypes, plainOutputOnly);
  if (request.inProcess || output?.mediaType !== 'application/yaml') return respondError(exchange, error, logger);
  const status = statusOfError(exchange, error, logger);
  auditStatus(exchange, status);
  const body = await inTurns(encodeStatusYamlSteps(status), turn);
  setRetryAfter(exchange, status);
  exchange.responseHeaders.set('Content-Type', output.mediaType);
  return { type: 'bytes', status: status.code ?? 500, body };
}

/** The encoding of a Status. */
export interface StatusEncoding {
  /** The handler's negotiated form; default: negotiated here, by the rules for errors. */
  readonly output?: OutputMediaType | undefined;
  readonly cbor?: Cbor | undefined;
}

/** Responds with a Status; the HTTP code is `code`, whatever the Status has. */
export function respondStatus(
  exchange: Exchange,
  code: number,
  status: Status,
  { output: known, cbor }: StatusEncoding,
): ApiResponse {
  if (exchange.request.inProcess) {
    auditStatus(exchange, status);
    return { type: 'value', status: code, value: { ...status } };
  }
  const { request, responseHeaders } = exchange;
  const mediaTypes = withCbor(builtInMediaTypes, cbor);
  const output = known ?? negotiateOutput(request.headers.get('accept'), mediaTypes, plainOutputOnly);
  const mediaType = output?.mediaType ?? 'application/json';
  responseHeaders.set('Content-Type', mediaType);
  if (output !== undefined) auditStatus(exchange, status);
  const encode = (): BytesResponse => {
    const bytes = encodeStatus(status, mediaType, cbor);
    if (output === undefined) return { type: 'bytes', status: code, body: indentJson(bytes) };
    const body = mediaType === 'application/json' ? finishJson(exchange, output, bytes) : bytes;
    return { type: 'bytes', status: code, body };
  };
  return output === undefined ? encode() : observedEncoding(exchange, mediaType, encode);
}

/**
 * A Status in a negotiated form is part of the audit event. Upstream: LogResponseObject of k8s.io/apiserver/pkg/audit
 */
function auditStatus({ context: { audit } }: Exchange, status: Status): void {
  if (audit === undefined) return;
  audit.responseStatus(status);
  if (audit.wantsResponseObject) audit.responseObject([encodeStatus(status, 'application/json', undefined)]);
}

function statusOfError(exchange: Exchange, error: unknown, logger: Logger): Status {
  if (isStatusError(error)) {
    const { code = 500 } = error.status;
    // A webhook's denial may have any code. Upstream panics too.
    if (code > MAX_CODE) throw new TypeError(`invalid WriteHeader code ${code}`);
    return { ...error.status, kind: 'Status', apiVersion: 'v1' };
  }
  const { method, path } = exchange.request;
  // A disconnected client aborts pending work: that is not a bug, and the response is not read.
  if (exchange.signal.aborted && error === exchange.signal.reason) {
    logger.v(4)?.info('Request ended before its response', { method, path });
  } else {
    logger.error(error, 'Unexpected error while handling a request', { method, path });
  }
  return newInternalError(error).status;
}
