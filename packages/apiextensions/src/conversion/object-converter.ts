import type { KubeObject } from '@apiserver/apimachinery';

/**
 * Converts objects of one definition between its versions. Implementations do not change their argument; a result
 * may share parts with it.
 * Upstream: crConverterInterface of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go
 */
export interface ObjectConverter {
  /** `bytes` is about the size of the object's JSON. Throws, or rejects with, a StatusError. */
  convert(object: KubeObject, apiVersion: string, bytes: number): KubeObject | Promise<KubeObject>;
  /** The same for single objects; absent if naming the other version is all. */
  readonly throughWebhook?: (object: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>;
}

/** Only names the other version. Upstream: nopConverter */
export const nopConverter: ObjectConverter = {
  convert: (object, apiVersion) => ({ ...object, apiVersion }),
};
