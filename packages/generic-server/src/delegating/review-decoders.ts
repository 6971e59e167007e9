import { TokenReview } from '@apiserver/api/authentication/v1';
import { TokenReview as TokenReviewV1beta1 } from '@apiserver/api/authentication/v1beta1';
import { SubjectAccessReview } from '@apiserver/api/authorization/v1';
import { SubjectAccessReview as SubjectAccessReviewV1beta1 } from '@apiserver/api/authorization/v1beta1';
import { ImageReview } from '@apiserver/api/imagepolicy/v1alpha1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { MAX_REVIEW_BYTES } from '@apiserver/webhook';
import { ReviewDecoder } from '@apiserver/webhook/review';

/** Kinds of reviews that other servers make for this one. */
export type ReviewKind = 'TokenReview' | 'SubjectAccessReview' | 'ImageReview';

/** A review as another server returns it. */
interface Reviewed extends KubeObject {
  readonly status?: object | null;
}

interface ReviewedKind {
  readonly group: string;
  readonly schemas: Readonly<Record<string, KindSchema<Reviewed>>>;
}

/**
 * Values of a review: far more groups than any user has. Each later step of the request goes through them in one turn.
 * Upstream has no such bound.
 */
const MAX_VALUES = 20_000;

/** The registry of client-go, as errors show it. */
const SCHEME = 'pkg/runtime/scheme.go:111';

/** A decoder of the responses to reviews of this kind. Upstream: NewGenericWebhook of k8s.io/apiserver/pkg/util/webhook */
export function newReviewDecoder(kind: ReviewKind): ReviewDecoder<Reviewed> {
  return new ReviewDecoder<Reviewed>({
    ...reviewedKind(kind),
    kind,
    scheme: SCHEME,
    mostValues: MAX_VALUES,
    mostBytes: MAX_REVIEW_BYTES,
  });
}

function reviewedKind(kind: ReviewKind): ReviewedKind {
  switch (kind) {
    case 'TokenReview':
      return { group: 'authentication.k8s.io', schemas: { v1: TokenReview, v1beta1: TokenReviewV1beta1 } };
    case 'SubjectAccessReview':
      return {
        group: 'authorization.k8s.io',
        schemas: { v1: SubjectAccessReview, v1beta1: SubjectAccessReviewV1beta1 },
      };
    default:
      return { group: 'imagepolicy.k8s.io', schemas: { v1alpha1: ImageReview } };
  }
}
