import { plainFailure } from '@apiserver/apimachinery/errors';
import { quote, uintProblem } from '@apiserver/apimachinery/text';

/**
 * The resource version of an object from a client; 0 if it has none. Throws a 500 with upstream's text for one that is
 * not a number: upstream's only check.
 * Upstream: k8s.io/apiserver/pkg/storage.APIObjectVersioner.ObjectResourceVersion
 */
export function objectResourceVersion(resourceVersion: string | undefined): bigint {
  if (resourceVersion === undefined || resourceVersion === '') return 0n;
  const problem = uintProblem(resourceVersion);
  if (problem !== undefined) {
    throw plainFailure(500, `strconv.ParseUint: parsing ${quote(resourceVersion)}: ${problem}`);
  }
  return BigInt(resourceVersion);
}

/** Reports whether it is a number other than 0, which an object to be created must not have. */
export function isResourceVersionSet(resourceVersion: string | undefined): boolean {
  return resourceVersion !== undefined && /^0*[1-9][0-9]*$/.test(resourceVersion);
}
