import type { GetOptions } from '@apiserver/apimachinery';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Getter } from '@apiserver/apiserver-contracts';
import { booleanValue, present, textValue } from '../options/query-values.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { negotiate } from './negotiate.js';
import { requestName, verbContextOf } from './request-target.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (GetResource) */
export async function handleGet(scope: EndpointScope, storage: Getter, exchange: Exchange): Promise<ApiResponse> {
  const name = requestName(exchange);
  const output = negotiate(scope, exchange);
  const options = exchange.request.rawQuery === '' ? {} : getOptions(exchange.request.query);
  exchange.context.span?.addEvent('About to Get from storage');
  const stored = await storage.get(verbContextOf(scope, exchange), name, options);
  return respondObject(scope, exchange, stored, { status: 200, output });
}

function getOptions(query: URLSearchParams): GetOptions {
  if (booleanValue(query, 'export') === true) {
    throw newBadRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  return present<GetOptions>({ resourceVersion: textValue(query, 'resourceVersion') });
}
