import { type ConversionReview, ConversionReview as ConversionReviewV1 } from '@apiserver/api/apiextensions/v1';
import { ConversionReview as ConversionReviewV1beta1 } from '@apiserver/api/apiextensions/v1beta1';
import { formatGroupVersionKind, type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { quote } from '@apiserver/apimachinery/text';
import { ReviewDecoder } from '@apiserver/webhook/review';

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';
const NO_VERSION = { group: '', version: '' };
/** Versions of ConversionReview that this server speaks. */
const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** The version of the reviews for a webhook; undefined if this server speaks none of its versions. */
export function reviewVersionOf(conversionReviewVersions: readonly string[]): string | undefined {
  return conversionReviewVersions.find((version) => VERSIONS.includes(version));
}

/** A decoder of the responses of webhooks. */
export function newConversionDecoder(): ReviewDecoder<ConversionReview> {
  return new ReviewDecoder<ConversionReview>({
    group: GROUP,
    kind: KIND,
    schemas: { v1: ConversionReviewV1, v1beta1: ConversionReviewV1beta1 },
  });
}

/** The request for the conversion of objects. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** Upstream: createConversionReviewObjects of …/pkg/apiserver/conversion/webhook_converter.go */
export function conversionReview(version: string, { uid, desiredAPIVersion, objects }: ConversionRequest): object {
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * The converted objects of a response, or the reason why there are none. Responses of v1beta1 are not checked for
 * their kind and uid.
 * Upstream: getConvertedObjectsFromResponse
 */
export function convertedObjectsOf(
  { apiVersion = '', kind = '', response }: ConversionReview,
  { version, uid }: { readonly version: string; readonly uid: string },
): { readonly objects: readonly unknown[] } | { readonly fault: string } {
  if (version === 'v1' && (apiVersion !== `${GROUP}/v1` || kind !== KIND)) {
    const got = formatGroupVersionKind({ ...(tryParseGroupVersion(apiVersion) ?? NO_VERSION), kind });
    return { fault: `expected webhook response of ${GROUP}/v1, Kind=${KIND}, got ${got}` };
  }
  if (response === undefined || response === null) return { fault: 'no response provided' };
  const { uid: got = '', result, convertedObjects } = response;
  if (version === 'v1' && got !== uid) return { fault: `expected response.uid=${quote(uid)}, got ${quote(got)}` };
  const { status = '', message = '' } = result ?? {};
  if (status !== 'Success') {
    return { fault: message !== '' ? message : `response.result.status was '${status}', not 'Success'` };
  }
  return { objects: convertedObjects ?? [] };
}
