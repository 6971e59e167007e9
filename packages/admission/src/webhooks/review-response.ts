import {
  type AdmissionResponse,
  type AdmissionReview,
  AdmissionReview as AdmissionReviewV1,
} from '@apiserver/api/admission/v1';
import { AdmissionReview as AdmissionReviewV1beta1 } from '@apiserver/api/admission/v1beta1';
import { formatGroupVersionKind, tryParseGroupVersion } from '@apiserver/apimachinery';
import { quote } from '@apiserver/apimachinery/text';
import { ReviewDecoder } from '@apiserver/webhook/review';

/** Versions of AdmissionReview that this server speaks. */
export type ReviewVersion = 'v1' | 'v1beta1';

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';

/**
 * A patch is one text in a review, so that few members are left. The details of a refusal may have some thousands of
 * causes.
 */
const MAX_MEMBERS = 50_000;

/** The decision of a webhook. */
export interface ReviewResponse extends Omit<AdmissionResponse, 'uid' | 'patch'> {
  /** JSON text; empty if there is none. */
  readonly patch: Uint8Array;
}

/** The request that a response must belong to. */
export interface ReviewedRequest {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly isMutating: boolean;
}

/** A decoder of the responses of webhooks. */
export function newReviewDecoder(): ReviewDecoder<AdmissionReview> {
  return new ReviewDecoder<AdmissionReview>({
    group: GROUP,
    kind: KIND,
    schemas: { v1: AdmissionReviewV1, v1beta1: AdmissionReviewV1beta1 },
    mostMembers: MAX_MEMBERS,
  });
}

/**
 * The decision in a review, or the reason why it cannot be used.
 * Upstream: VerifyAdmissionResponse of k8s.io/apiserver/pkg/admission/plugin/webhook/request
 */
export function verifyResponse(
  { apiVersion, kind, response }: AdmissionReview,
  { uid, version, isMutating }: ReviewedRequest,
): ReviewResponse | { readonly fault: string } {
  if (response === undefined || response === null) return { fault: 'webhook response was absent' };
  const { uid: responseUid = '', patch = '', patchType, ...rest } = response;
  const bytes = isMutating || version === 'v1' ? Buffer.from(patch, 'base64') : Buffer.alloc(0);
  if (version === 'v1beta1') {
    return { ...rest, patch: bytes, ...(bytes.length > 0 && { patchType: 'JSONPatch' }) };
  }
  if (responseUid !== uid) return { fault: `expected response.uid=${quote(uid)}, got ${quote(responseUid)}` };
  if (apiVersion !== `${GROUP}/v1` || kind !== KIND) {
    const got = formatGroupVersionKind({
      ...(tryParseGroupVersion(apiVersion ?? '') ?? { group: '', version: '' }),
      kind: kind ?? '',
    });
    return { fault: `expected webhook response of ${GROUP}/v1, Kind=${KIND}, got ${got}` };
  }
  const fault = isMutating ? patchFault(bytes, patchType) : unexpectedPatch(bytes, patchType);
  if (fault !== undefined) return { fault };
  return { ...rest, patch: bytes, ...(patchType !== undefined && { patchType }) };
}

function patchFault(patch: Uint8Array, patchType: string | undefined): string | undefined {
  if (patch.length > 0 && patchType === undefined) {
    return 'webhook returned response.patch but not response.patchType';
  }
  if (patch.length === 0 && patchType !== undefined) {
    return 'webhook returned response.patchType but not response.patch';
  }
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function unexpectedPatch(patch: Uint8Array, patchType: string | undefined): string | undefined {
  if (patch.length > 0) return 'validating webhook may not return response.patch';
  return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
}
