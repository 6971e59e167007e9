import { SelfSubjectRulesReview, type SubjectRulesReviewStatus } from '@apiserver/api/authorization/v1';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { InstalledResource, RuleResolver, UserInfo } from '@apiserver/apiserver-contracts';
import { defineReview, installedReview, type RespondToReview } from '../review/define-review.js';
import { requiredUser } from './access-reviews.js';

/** Lists the permissions of the request's user in a namespace. */
const selfSubjectRulesReviews = defineReview(SelfSubjectRulesReview);

/** Upstream: pkg/registry/authorization/selfsubjectrulesreview/rest.go */
export function installedRulesReview(resolver: RuleResolver): InstalledResource {
  return installedReview(selfSubjectRulesReviews, respondBy(resolver), lengthOf);
}

function respondBy(resolver: RuleResolver): RespondToReview<SelfSubjectRulesReview> {
  return async (context, review, validate) => {
    const user = requiredUser(context);
    const { namespace = '' } = review.spec;
    if (namespace === '') throw newBadRequest('no namespace on request');
    await validate(review);
    const { apiVersion, kind } = review;
    // The spec is empty, as upstream.
    return { apiVersion, kind, metadata: {}, spec: {}, status: await statusOf(resolver, user, namespace) };
  };
}

/** Bytes of the texts in the response. */
function lengthOf({ status }: SelfSubjectRulesReview): number {
  const { resourceRules, nonResourceRules } = status ?? {};
  let length = 0;
  const count = (texts: readonly string[] | null | undefined) => {
    for (const text of texts ?? []) length += text.length + QUOTES_AND_COMMA;
  };
  for (const { verbs, apiGroups, resources, resourceNames } of resourceRules ?? []) {
    for (const texts of [verbs, apiGroups, resources, resourceNames]) count(texts);
  }
  for (const { verbs, nonResourceURLs } of nonResourceRules ?? []) {
    for (const texts of [verbs, nonResourceURLs]) count(texts);
  }
  return length;
}
const QUOTES_AND_COMMA = 3;

async function statusOf(resolver: RuleResolver, user: UserInfo, namespace: string): Promise<SubjectRulesReviewStatus> {
  const { resourceRules, nonResourceRules, incomplete, errors } = await resolver.rulesFor(user, namespace);
  return {
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      ...nonEmpty('apiGroups', apiGroups),
      ...nonEmpty('resources', resources),
      ...nonEmpty('resourceNames', resourceNames),
    })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      ...nonEmpty('nonResourceURLs', nonResourceURLs),
    })),
    incomplete,
    ...(errors.length === 0 ? undefined : { evaluationError: aggregateMessages(errors.map(({ message }) => message)) }),
  };
}

function nonEmpty<N extends string>(name: N, values: readonly string[]): { [K in N]?: string[] } {
  const field: { [K in N]?: string[] } = {};
  if (values.length > 0) field[name] = [...values];
  return field;
}
