import { newNotAcceptable, type StatusError } from '@apiserver/apimachinery/errors';

/**
 * The 406 for metadata of a list in place of an object, or the reverse. `goType` is the type of the response in Go.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go
 */
export function wrongShape(requested: string, problem: 'is a list' | 'is not a list', goType: string): StatusError {
  return newNotAcceptable(`you requested ${requested}, but the requested object ${problem} (*${goType})`);
}
