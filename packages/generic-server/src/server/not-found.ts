import { Buffer } from 'node:buffer';
import type { Handler } from '@apiserver/apiserver-contracts';
import { plainTextError } from '../serving/plain-text.js';
import type { DelegationTarget } from './generic-server.js';

/** The end of a chain. Upstream: net/http.NotFound */
export const notFoundHandler: Handler = (exchange) => plainTextError(exchange, 404, '404 page not found');

/**
 * A delegation target with nothing in it, which ends a chain: with a handler, that handler answers what no server knows;
 * without, the innermost server answers with its index.
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

/**
 * Lists what the server has, as JSON. Upstream: k8s.io/apiserver/pkg/server/routes/index.go
 */
export function indexHandler(status: number, listedPaths: () => readonly string[]): Handler {
  return (exchange) => {
    exchange.responseHeaders.set('content-type', 'application/json');
    const body = JSON.stringify({ paths: listedPaths() }, null, 2);
    return { type: 'bytes', status, body: Buffer.from(body) };
  };
}
