import { quote } from '../text/quote.js';
import { formatGroupResource, type GroupResource } from '../types/group-version.js';
import { CAUSE_UNEXPECTED_SERVER_RESPONSE, type StatusReason } from '../types/status.js';
import { StatusError } from './status-error.js';
import { failureStatus } from './status-factories.js';

/** An HTTP response of which only the code is known. */
export interface GenericServerResponse {
  readonly code: number;
  /** The HTTP method; it determines the meaning of a 409 and is named in the message. Default: empty. */
  readonly verb?: string;
  /** Default: none, which shortens the message. */
  readonly resource?: GroupResource;
  readonly name?: string;
  /** The body of the response. Only some codes pass it on. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** Keeps serverMessage as a cause: the response was not a Status. */
  readonly isUnexpectedResponse?: boolean;
}

interface Meaning {
  readonly reason?: StatusReason;
  readonly message: string;
}

const MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [400, { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' }],
  [401, { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' }],
  [404, { reason: 'NotFound', message: 'the server could not find the requested resource' }],
  [405, { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' }],
  [422, { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' }],
  [
    429,
    {
      reason: 'TooManyRequests',
      message: 'the server has received too many requests and has asked us to try again later',
    },
  ],
  [503, { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' }],
  [
    504,
    {
      reason: 'Timeout',
      message:
        'the server was unable to return a response in the time allotted, but may still be processing the request',
    },
  ],
]);

/**
 * The StatusError for a response of which little more than the code is known. Patches that do not apply also use it,
 * with code 422.
 *
 * Upstream: NewGenericServerResponse in k8s.io/apimachinery/pkg/api/errors/errors.go
 */
export function newGenericServerResponse(response: GenericServerResponse): StatusError {
  const { resource = { group: '', resource: '' }, name = '', serverMessage = '', retryAfterSeconds = 0 } = response;
  const { reason, message } = meaningOf(response.code, response.verb ?? '', serverMessage);
  const causes = response.isUnexpectedResponse
    ? [{ reason: CAUSE_UNEXPECTED_SERVER_RESPONSE, ...(serverMessage && { message: serverMessage }) }]
    : [];
  const details = { name, group: resource.group, kind: resource.resource, causes, retryAfterSeconds };
  return new StatusError(failureStatus(response.code, reason, message + subject(response), details));
}

function meaningOf(code: number, verb: string, serverMessage: string): Meaning {
  const known = MEANINGS.get(code);
  if (known !== undefined) return known;
  switch (code) {
    case 403:
      return { reason: 'Forbidden', message: serverMessage };
    case 406:
      return { reason: 'NotAcceptable', message: notAcceptableMessage(serverMessage) };
    case 409:
      return { reason: verb === 'POST' ? 'AlreadyExists' : 'Conflict', message: 'the server reported a conflict' };
    case 415:
      return { reason: 'UnsupportedMediaType', message: serverMessage };
    default:
      return unknownMeaning(code, serverMessage);
  }
}

function notAcceptableMessage(serverMessage: string): string {
  const unhelpful = serverMessage === '' || serverMessage === 'unknown';
  return unhelpful ? 'the server was unable to respond with a content type that the client supports' : serverMessage;
}

function unknownMeaning(code: number, serverMessage: string): Meaning {
  if (code >= 500) {
    const message = `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`;
    return { reason: 'InternalError', message };
  }
  return { message: `the server responded with the status code ${code} but did not return more information` };
}

function subject({ verb = '', resource, name = '' }: GenericServerResponse): string {
  if (resource === undefined || (resource.group === '' && resource.resource === '')) return '';
  const target = `${verb.toLowerCase()} ${formatGroupResource(resource)}`;
  return name === '' ? ` (${target})` : ` (${target} ${name})`;
}
