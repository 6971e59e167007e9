import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Connecter, Exchange } from '@apiserver/apiserver-contracts';
import { decodeOptions } from '../options/connect-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { admitConnection } from './admission.js';
import { requestInfoOf, requestName, requestNamespace, verbContextOf } from './request-target.js';

/** Number of path segments for the resource, the name and the subresource. */
const SUBRESOURCE_PARTS = 3;

/** Upstream: ConnectResource in k8s.io/apiserver/pkg/endpoints/handlers/rest.go */
export async function handleConnect(
  scope: EndpointScope,
  { connecter }: Connecter,
  exchange: Exchange,
): Promise<ApiResponse> {
  const { request } = exchange;
  if (request.query.has('dryRun')) throw newBadRequest('dryRun is not supported');
  const name = requestName(exchange);
  const fixed = connecter.pathOption === undefined ? {} : { [connecter.pathOption]: pathBehind(exchange) };
  const options = decodeOptions(scope.codec, request.query, fixed);
  const namespace = requestNamespace(scope, exchange);
  await admitConnection({ scope, exchange, operation: 'CONNECT', namespace, name, options: {} }, options);
  return connecter.connect(verbContextOf(scope, exchange), name, options, exchange);
}

/** The path after the subresource: "", or text with a leading slash. A trailing slash is kept. */
function pathBehind(exchange: Exchange): string {
  const { parts, path } = requestInfoOf(exchange);
  const behind = parts.slice(SUBRESOURCE_PARTS).join('/');
  const withSlash = behind === '' || behind.startsWith('/') ? behind : `/${behind}`;
  return path.endsWith('/') && !withSlash.endsWith('/') ? `${withSlash}/` : withSlash;
}
