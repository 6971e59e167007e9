import type { IncomingMessage } from 'node:http';
import { failureStatus, newBadRequest, StatusError } from '@apiserver/apimachinery/errors';
import { EndpointCall, type EndpointResponse } from './endpoint-call.js';

/** Handles one method of a path. */
export type EndpointHandler = (call: EndpointCall) => EndpointResponse | Promise<EndpointResponse>;

/** Handlers by path, in which `*` stands for a name, and by method. */
export type EndpointRoutes = Readonly<Record<string, Readonly<Record<string, EndpointHandler>>>>;

/** Calls the handler of a request. Throws a StatusError: 404 for an unknown path, 405 for a method. */
export async function callRoute(routes: EndpointRoutes, request: IncomingMessage): Promise<EndpointResponse> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const segments = path.split('/').slice(1);
  for (const [pattern, methods] of Object.entries(routes)) {
    const names = namesIn(segments, pattern.split('/').slice(1));
    if (names === undefined) continue;
    const { method = '' } = request;
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (handler === undefined) throw notAllowed(path, Object.keys(methods));
    return await handler(new EndpointCall(request, { names, query: new URLSearchParams(query) }));
  }
  throw new StatusError(failureStatus(404, 'NotFound', `the test endpoint has no ${path}; GET / lists its paths`));
}

/** The decoded segments at the places of `*`; undefined if the path is another one. */
function namesIn(segments: readonly string[], pattern: readonly string[]): readonly string[] | undefined {
  if (segments.length !== pattern.length) return undefined;
  if (pattern.some((part, i) => part !== '*' && part !== segments[i])) return undefined;
  return segments.filter((_, i) => pattern[i] === '*').map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw newBadRequest(`${segment} is not a valid part of a path`);
  }
}

function notAllowed(path: string, methods: readonly string[]): StatusError {
  return new StatusError(failureStatus(405, 'MethodNotAllowed', `${path} has the methods ${methods.join(', ')}`));
}
