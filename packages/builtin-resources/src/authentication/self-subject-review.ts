import { SelfSubjectReview } from '@apiserver/api/authentication/v1';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { formatTime } from '@apiserver/apimachinery/values';
import { type InstalledResource, shownUser } from '@apiserver/apiserver-contracts';
import { defineReview, installedReview } from '../review/define-review.js';

/** Returns the user of the request. */
const selfSubjectReviews = defineReview(SelfSubjectReview);

/** `now` in milliseconds since the epoch. Upstream: pkg/registry/authentication/selfsubjectreview/rest.go */
export function installedSelfSubjectReview(now: () => number): InstalledResource {
  return installedReview(selfSubjectReviews, async ({ user }, review, validate) => {
    await validate(review);
    if (user === undefined) throw newBadRequest('no user present on request');
    const { apiVersion, kind } = review;
    return {
      apiVersion,
      kind,
      metadata: { creationTimestamp: formatTime(now()) },
      status: { userInfo: shownUser(user) },
    };
  });
}
