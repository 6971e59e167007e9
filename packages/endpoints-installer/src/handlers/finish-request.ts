import { newTimeout } from '@apiserver/apimachinery/errors';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** Maximum duration of a write in milliseconds, regardless of the requested timeout. */
const UPPER_BOUND_MS = 34_000;

/**
 * Deadline of a write whose handler starts now, including the time to read its body. Milliseconds since the epoch.
 *
 * Upstream: requestTimeoutUpperBound in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function respondBy({ environment }: EndpointScope): number {
  return environment.now() + UPPER_BOUND_MS;
}

/**
 * Runs a write and waits for it until `deadline`; then returns 504 while the write continues. A write that would start
 * too late is not started.
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
