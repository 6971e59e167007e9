import type { KubeObject } from '@apiserver/apimachinery';
import { goTypeOf, isMembers } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';

const GROUP = 'apiextensions.k8s.io';
/** Versions of ConversionReview that this server speaks. */
const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

type Members = Readonly<Record<string, unknown>>;

/** The version of the reviews for a webhook; undefined if this server speaks none of its versions. */
export function reviewVersionOf(conversionReviewVersions: readonly string[]): string | undefined {
  return conversionReviewVersions.find((version) => VERSIONS.includes(version));
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
    kind: 'ConversionReview',
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
  review: unknown,
  { version, uid }: { readonly version: string; readonly uid: string },
): { readonly objects: readonly unknown[] } | { readonly fault: string } {
  const { apiVersion = '', kind = '', response } = membersOf(review);
  if (version === 'v1' && (apiVersion !== `${GROUP}/v1` || kind !== 'ConversionReview')) {
    const [group = '', named = ''] = String(apiVersion).includes('/')
      ? String(apiVersion).split('/')
      : ['', String(apiVersion)];
    const got = `${group}/${named}, Kind=${String(kind)}`;
    return { fault: `expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${got}` };
  }
  if (response === undefined || response === null) return { fault: 'no response provided' };
  const { uid: got = '', result, convertedObjects } = membersOf(response);
  if (version === 'v1' && got !== uid) {
    return { fault: `expected response.uid=${quote(uid)}, got ${quote(String(got))}` };
  }
  const { status = '', message } = membersOf(result);
  if (status !== 'Success') {
    const text = typeof message === 'string' ? message : '';
    return { fault: text !== '' ? text : `response.result.status was '${String(status)}', not 'Success'` };
  }
  if (convertedObjects !== undefined && convertedObjects !== null && !Array.isArray(convertedObjects)) {
    return { fault: `response.convertedObjects is ${goTypeOf(convertedObjects)}, not a list` };
  }
  return { objects: convertedObjects ?? [] };
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}
