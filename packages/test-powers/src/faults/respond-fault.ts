import { Buffer } from 'node:buffer';
import { isMembers } from '@apiserver/apimachinery/json';
import type { ApiResponse, Exchange, Logger } from '@apiserver/apiserver-contracts';
import { respondError } from '@apiserver/endpoints-installer';
import type { SelectedRequest } from '../matching/request-selector.js';
import type { RawFault, StatusFault } from './fault-rule.js';
import { statusOfFault } from './status-of-fault.js';

/** Maximum size of a body in which a name is looked for, as of every request. */
const MAX_BODY = 3 * 1024 * 1024;

/** Responds instead of the server. */
export async function respondFault(
  fault: StatusFault | RawFault,
  { exchange, request }: { readonly exchange: Exchange; readonly request: SelectedRequest },
  logger: Logger,
): Promise<ApiResponse> {
  if (!('reason' in fault)) return respondRaw(fault, exchange);
  const name = request.name === '' && request.verb === 'create' ? await createdName(exchange) : request.name;
  return respondError(exchange, statusOfFault(fault, { request, user: exchange.context.user, name }), logger);
}

function respondRaw({ code, body, headers = {} }: RawFault, { responseHeaders }: Exchange): ApiResponse {
  const isText = typeof body === 'string';
  if (body !== undefined) {
    responseHeaders.set('content-type', isText ? 'text/plain; charset=utf-8' : 'application/json');
  }
  for (const [name, value] of Object.entries(headers)) responseHeaders.set(name, value);
  const sent = isText ? body : JSON.stringify(body);
  return { type: 'bytes', status: code, body: sent === undefined ? undefined : Buffer.from(sent) };
}

/** The name in a JSON body; "" if it has none, or is in another encoding. */
async function createdName({ request }: Exchange): Promise<string> {
  try {
    const body: unknown = JSON.parse(Buffer.from(await request.readBody(MAX_BODY)).toString());
    const metadata = isMembers(body) ? body['metadata'] : undefined;
    const name = isMembers(metadata) ? metadata['name'] : undefined;
    return typeof name === 'string' ? name : '';
  } catch {
    return '';
  }
}
