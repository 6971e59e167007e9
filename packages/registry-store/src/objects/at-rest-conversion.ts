import type { Transformed } from './transformer.js';

/**
 * Converts between bytes at rest, of any version of a resource, and JSON bytes of the one version that the context has.
 * For custom resources whose versions differ. Failures for the client are StatusErrors; others mean corrupt bytes.
 * Upstream: crdConversionRESTOptionsGetter of k8s.io/apiextensions-apiserver/pkg/apiserver
 */
export interface AtRestConversion {
  /**
   * The object, pruned and defaulted. If the result is `stale`, the next update rewrites it. The bytes never change.
   */
  fromStored(atRest: Uint8Array): Transformed | Promise<Transformed>;
  /** The bytes to store for an object of the context's version. */
  toStored(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}
