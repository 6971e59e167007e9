import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  type SubjectAccessReviewSpec,
  type SubjectAccessReviewStatus,
} from '@apiserver/api/authorization/v1';
import { newBadRequest, newInvalid } from '@apiserver/apimachinery/errors';
import { collectFieldErrors, type FieldError } from '@apiserver/apimachinery/field';
import type { Authorizer, InstalledResource, UserInfo, VerbContext } from '@apiserver/apiserver-contracts';
import { defineReview, installedReview } from '../review/define-review.js';
import { type AccessRequest, accessRequest } from './access-attributes.js';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './access-review-validation.js';

/** Checks a permission of any user. */
const subjectAccessReviews = defineReview(SubjectAccessReview);
/** Checks a permission of the request's user. */
const selfSubjectAccessReviews = defineReview(SelfSubjectAccessReview);
/** Checks a permission of any user in a namespace. */
const localSubjectAccessReviews = defineReview(LocalSubjectAccessReview);

/**
 * The reviews that call an authorizer.
 * Upstream: pkg/registry/authorization/{subjectaccessreview,selfsubjectaccessreview,localsubjectaccessreview}/rest.go
 */
export function installedAccessReviews(authorizer: Authorizer): readonly InstalledResource[] {
  const status = (request: AccessRequest, { signal }: VerbContext) => statusOf(authorizer, request, signal);
  return [
    installedReview(subjectAccessReviews, async (context, review, validate) => {
      refuseInvalid(() => validateSubjectAccessReview(review));
      await validate(review);
      review.status = await status(accessRequest(subjectOf(review.spec), review.spec), context);
      return review;
    }),
    installedReview(selfSubjectAccessReviews, async (context, review, validate) => {
      refuseInvalid(() => validateSelfSubjectAccessReview(review));
      await validate(review);
      review.status = await status(accessRequest(requiredUser(context), review.spec), context);
      return review;
    }),
    installedReview(localSubjectAccessReviews, async (context, review, validate) => {
      refuseInvalid(() => validateLocalSubjectAccessReview(review));
      await validate(review);
      review.status = await status(accessRequest(subjectOf(review.spec), review.spec), context);
      return review;
    }),
  ];
}

/** Upstream names the kind of the decoded object, which is empty. */
function refuseInvalid(validate: () => readonly FieldError[]): void {
  const errors = collectFieldErrors(validate);
  if (errors.length > 0) throw newInvalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

/** Throws a 400 if the request has no user. */
export function requiredUser({ user }: VerbContext): UserInfo {
  if (user === undefined) throw newBadRequest('no user present on request');
  return user;
}

function subjectOf({ user = '', groups = [], uid, extra = {} }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, extra, ...(uid === undefined ? undefined : { uid }) };
}

async function statusOf(
  authorizer: Authorizer,
  { attributes, faults }: AccessRequest,
  signal: AbortSignal,
): Promise<SubjectAccessReviewStatus> {
  const { decision, reason, error } = await authorizer.authorize(attributes, signal);
  const evaluationError = [...(error === undefined ? [] : [error.message]), ...faults].join('; ');
  return {
    allowed: decision === 'Allow',
    ...(decision === 'Deny' ? { denied: true } : undefined),
    ...(reason === '' ? undefined : { reason }),
    ...(evaluationError === '' ? undefined : { evaluationError }),
  };
}
