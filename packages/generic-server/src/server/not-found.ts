import { Buffer } from 'node:buffer';
import { newServiceUnavailable, StatusError } from '@apiserver/apimachinery/errors';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { respondError } from '@apiserver/endpoints-installer';
import type { LifecycleSignal } from '../lifecycle/lifecycle-signal.js';
import { plainTextError } from '../serving/transport/plain-text.js';
import type { DelegationTarget } from './generic-server.js';

/** The end of a chain. Upstream: net/http.NotFound */
export const notFoundHandler: Handler = (exchange) => plainTextError(exchange, 404, '404 page not found');

const RETRY_SECONDS = 5;

/**
 * The end of a chain during its start. Until all paths are installed, clients of an unknown path get a request to
 * retry. A garbage collector that trusted a 404 would delete objects as orphans.
 * Upstream: k8s.io/apiserver/pkg/util/notfoundhandler/not_found_handler.go
 */
export function notFoundWhenComplete(complete: LifecycleSignal, logger: Logger): Handler {
  return (exchange) => {
    if (complete.hasBeenSignaled) return notFoundHandler(exchange);
    const message = 'the request has been made before all known HTTP paths have been installed, please try again';
    const { status } = newServiceUnavailable(message);
    return respondError(
      exchange,
      new StatusError({ ...status, details: { retryAfterSeconds: RETRY_SECONDS } }),
      logger,
    );
  };
}

/**
 * An empty delegation target, which ends a chain. `handler` handles unknown requests. Without one, the innermost server
 * returns its index.
 * Upstream: k8s.io/apiserver/pkg/server.NewEmptyDelegate, NewEmptyDelegateWithCustomHandler
 */
export function newEmptyDelegate(handler?: Handler): DelegationTarget {
  return {
    unprotectedHandler: handler,
    postStartHooks: new Map(),
    preShutdownHooks: new Map(),
    healthChecks: [],
    listedPaths: () => [],
    prepareRun: () => {},
    dispose: () => Promise.resolve(),
  };
}

/** Lists the server's paths, as JSON. Upstream: k8s.io/apiserver/pkg/server/routes/index.go */
export function indexHandler(status: number, listedPaths: () => readonly string[]): Handler {
  return (exchange) => {
    exchange.responseHeaders.set('content-type', 'application/json');
    const body = JSON.stringify({ paths: listedPaths() }, null, 2);
    return { type: 'bytes', status, body: Buffer.from(body) };
  };
}
