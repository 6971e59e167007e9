import { runSliced } from '@apiserver/apimachinery/clock';
import { once } from '@apiserver/apimachinery/lazy';

/**
 * As `once`, for a result that all clients share. Its loops belong to the server: they do not wait behind other loops of
 * the client that asks first.
 */
export function sharedOnce<T>(make: () => Promise<T>): () => Promise<T> {
  return once(() => runSliced(undefined, make));
}
