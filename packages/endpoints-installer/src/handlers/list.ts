import { newBadRequest } from '@apiserver/apimachinery/errors';
import { parseFieldSelector } from '@apiserver/apimachinery/selectors';
import type { ApiResponse, Exchange, Lister, ParsedListOptions } from '@apiserver/apiserver-contracts';
import { parseListOptions } from '../options/list-options.js';
import { respondList } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { negotiate } from './negotiate.js';
import { requestInfoOf, verbContextOf } from './request-target.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (ListResource) */
export async function handleList(scope: EndpointScope, storage: Lister, exchange: Exchange): Promise<ApiResponse> {
  const output = negotiate(scope, exchange);
  const options = collectionOptions(scope, exchange);
  const list = await storage.list(verbContextOf(scope, exchange), options);
  return respondList(scope, exchange, list, { status: 200, output });
}

/**
 * The list options of a request. A name in the path (watches of one object) or in the field selector is equivalent: a
 * selector of that name. Throws a 400 or 422.
 */
export function collectionOptions(scope: EndpointScope, exchange: Exchange): ParsedListOptions {
  const options = parseListOptions(exchange.request.query, scope);
  const { name } = requestInfoOf(exchange);
  if (name === '') return options;
  if (options.fieldSelector.empty) return { ...options, fieldSelector: nameSelector(name) };
  if (options.fieldSelector.requiresExactMatch('metadata.name') !== name) {
    throw newBadRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return options;
}

function nameSelector(name: string) {
  return parseFieldSelector(`metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`);
}
