import { Buffer } from 'node:buffer';
import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import type { VersionInfo } from '@apiserver/component-base/version';
import { checkRouteAccept, respondError } from '@apiserver/endpoints-installer';

/** Serves GET /version. Upstream: k8s.io/apiserver/pkg/server/routes/version.go */
export function versionHandler(info: VersionInfo, logger: Logger): Handler {
  const body = Buffer.from(JSON.stringify(info, null, 2));
  return (exchange) => {
    const { method } = exchange.request;
    if (method !== 'GET') return respondError(exchange, newGenericServerResponse({ code: 405, verb: method }), logger);
    try {
      checkRouteAccept(exchange, ['application/json']);
    } catch (error) {
      return respondError(exchange, error, logger);
    }
    exchange.responseHeaders.set('content-type', 'application/json');
    return { type: 'bytes', status: 200, body };
  };
}
