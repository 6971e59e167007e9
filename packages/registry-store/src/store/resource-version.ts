import { quote } from '@apiserver/apimachinery';
import { newPlainFailure } from './plain-failure.js';

const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * The resource version that an object from a client carries; 0 when it carries none.
 * Throws a 500 with upstream's text for one that is not a number: the only check upstream makes.
 * Upstream: k8s.io/apiserver/pkg/storage.APIObjectVersioner.ObjectResourceVersion
 */
export function objectResourceVersion(resourceVersion: string | undefined): bigint {
  if (resourceVersion === undefined || resourceVersion === '') return 0n;
  if (!/^[0-9]+$/.test(resourceVersion)) throw parseFailure(resourceVersion, 'invalid syntax');
  const version = BigInt(resourceVersion);
  if (version > MAX_UINT64) throw parseFailure(resourceVersion, 'value out of range');
  return version;
}

/** Whether it is a number other than 0, which an object to be created must not carry. */
export function isResourceVersionSet(resourceVersion: string | undefined): boolean {
  return resourceVersion !== undefined && /^[0-9]+$/.test(resourceVersion) && BigInt(resourceVersion) !== 0n;
}

function parseFailure(text: string, fault: string): Error {
  return newPlainFailure(`strconv.ParseUint: parsing ${quote(text)}: ${fault}`);
}
