import type { ApiResponse, Exchange, Getter } from '@apiserver/apiserver-contracts';
import { textValue } from '../options/query-values.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { negotiate } from './negotiate.js';
import { requestName, verbContextOf } from './request-target.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (GetResource) */
export async function handleGet(scope: EndpointScope, storage: Getter, exchange: Exchange): Promise<ApiResponse> {
  const name = requestName(exchange);
  const output = negotiate(scope, exchange);
  const resourceVersion =
    exchange.request.rawQuery === '' ? undefined : textValue(exchange.request.query, 'resourceVersion');
  const options = resourceVersion === undefined ? {} : { resourceVersion };
  exchange.context.span?.addEvent('About to Get from storage');
  const stored = await storage.get(verbContextOf(scope, exchange), name, options);
  return respondObject(scope, exchange, stored, { status: 200, output });
}
