import { once } from '@apiserver/apimachinery/lazy';
import type { ApiResponse, Exchange, Handler } from '@apiserver/apiserver-contracts';
import { respondError } from '../responses/respond-error.js';
import type { OpenApiDocuments } from './open-api-documents.js';
import type { OpenApiOptions } from './open-api-options.js';

/** The OpenAPI documents of a server. Nothing is loaded or built before the first request. */
export interface OpenApi {
  /** The handler of a request to `/openapi/v2`, `/openapi/v3` or below that; undefined for every other path. */
  handlerFor(exchange: Exchange): Handler | undefined;
}

/** Dependencies of responses; loaded with the first request. */
interface Loaded {
  readonly documents: OpenApiDocuments;
  readonly respond: typeof import('./respond-open-api.js');
}

type Respond = (exchange: Exchange, loaded: Loaded) => Promise<ApiResponse>;

const V3_PREFIX = '/openapi/v3/';

/**
 * OpenAPI of the installed resources of a container.
 *
 * Upstream: k8s.io/kube-openapi/pkg/handler, k8s.io/kube-openapi/pkg/handler3
 */
export function createOpenApi(options: OpenApiOptions): OpenApi {
  const load = once(() => loadDocuments(options));
  return {
    handlerFor: ({ request }) => {
      const response = responderOf(request.path, options);
      if (response === undefined) return undefined;
      return async (exchange) => {
        try {
          return await response(exchange, await load());
        } catch (error) {
          return respondError(exchange, error, options.logger);
        }
      };
    },
  };
}

async function loadDocuments(options: OpenApiOptions): Promise<Loaded> {
  const [{ createOpenApiDocuments }, respond] = await Promise.all([
    import('./open-api-documents.js'),
    import('./respond-open-api.js'),
  ]);
  return { documents: await createOpenApiDocuments(options), respond };
}

function responderOf(path: string, { now = Date.now, remote }: OpenApiOptions): Respond | undefined {
  if (path === '/openapi/v2') {
    return async (exchange, { documents, respond }) => respond.respondV2(exchange, await documents.v2());
  }
  if (path === '/openapi/v3') {
    return async (exchange, { documents, respond }) => respond.respondV3Index(exchange, await documents.v3Index());
  }
  if (!path.startsWith(V3_PREFIX)) return undefined;
  const name = path.slice(V3_PREFIX.length);
  return async (exchange, { documents, respond }) => {
    const document = await documents.v3(name);
    const handler = document === undefined ? remote?.handlerFor(name) : undefined;
    if (handler !== undefined) return handler(exchange);
    if (document === undefined) return { type: 'bytes', status: 404, body: undefined };
    return respond.respondV3(exchange, name, document, now);
  };
}
