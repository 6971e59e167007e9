import type { Deadlines } from '@apiserver/apimachinery/clock';
import { newTimeout } from '@apiserver/apimachinery/errors';
import type { PostTimeoutObserver } from '../scope/endpoint-metrics.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** Milliseconds for which the end of a write is awaited after its response. Upstream: postTimeoutLoggerWait */
const POST_TIMEOUT_MS = 5 * 60_000;

/** Maximum duration of a write in milliseconds, regardless of the requested timeout. */
const UPPER_BOUND_MS = 34_000;

/**
 * Deadline of a write whose handler starts now, including the time to read its body, by `performance.now()`.
 *
 * Upstream: requestTimeoutUpperBound in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function respondBy(): number {
  return performance.now() + UPPER_BOUND_MS;
}

/**
 * Runs a write and waits for it until `deadline`; then returns 504 while the write continues. A write that would start
 * too late is not started.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go
 */
export function finishRequest<T>({ environment }: EndpointScope, deadline: number, work: () => Promise<T>): Promise<T> {
  const left = deadline - performance.now();
  if (left <= 0) return Promise.reject(tooLate());
  return new Promise((resolve, reject) => {
    const working = work();
    const { deadlines, metrics } = environment;
    const late = deadlines.add(left, () => {
      reject(tooLate());
      watchOn(deadlines, working, metrics.afterTimeout);
    });
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

/** Reports how work ends whose request has timed out, or that it has not ended. Upstream: logPostTimeoutResult */
function watchOn(deadlines: Deadlines, working: Promise<unknown>, ended: PostTimeoutObserver): void {
  let isReported = false;
  const report = (status: 'ok' | 'error' | 'pending') => {
    if (!isReported) ended('rest-handler', status);
    isReported = true;
    deadlines.clear(waiting);
  };
  const waiting = deadlines.add(POST_TIMEOUT_MS, () => report('pending'));
  working.then(
    () => report('ok'),
    () => report('error'),
  );
}

function tooLate(): Error {
  return newTimeout('request did not complete within requested timeout - context deadline exceeded', 0);
}
