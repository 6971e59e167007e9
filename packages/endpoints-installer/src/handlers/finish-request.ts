import { newTimeout } from '@apiserver/apimachinery/errors';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** Milliseconds after which a write is answered with a timeout, whatever the client asked for. */
const UPPER_BOUND_MS = 34_000;

/**
 * When a write whose handler begins now has to be answered: reading its body counts. Milliseconds since the epoch.
 *
 * Upstream: requestTimeoutUpperBound in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function answerBy({ environment }: EndpointScope): number {
  return environment.now() + UPPER_BOUND_MS;
}

/**
 * Does a write and waits for it until `deadline`; then answers 504 while the write itself goes on. What would begin too
 * late is not begun.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go
 */
export function finishRequest<T>({ environment }: EndpointScope, deadline: number, work: () => Promise<T>): Promise<T> {
  const left = deadline - environment.now();
  if (left <= 0) return Promise.reject(tooLate());
  return new Promise((resolve, reject) => {
    const working = work();
    const { deadlines } = environment;
    const late = deadlines.add(left, () => reject(tooLate()));
    working.then(
      (result) => {
        deadlines.clear(late);
        resolve(result);
      },
      (error: unknown) => {
        deadlines.clear(late);
        reject(error);
      },
    );
  });
}

function tooLate(): Error {
  return newTimeout('request did not complete within requested timeout - context deadline exceeded', 0);
}
