import { newTimeout } from '@apiserver/apimachinery';

/** Milliseconds after which a write is answered with a timeout, whatever the client asked for. */
const UPPER_BOUND_MS = 34_000;

/**
 * Waits for a write for as long as writes may take; then answers 504 while the write itself goes on.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go
 */
export function finishRequest<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(newTimeout('request did not complete within requested timeout - context deadline exceeded', 0));
    }, UPPER_BOUND_MS);
    timer.unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
