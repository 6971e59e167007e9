import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '@apiserver/api/authorization/v1';
import { type Clock, ExpiringCache } from '@apiserver/apimachinery/clock';
import { errorOf } from '@apiserver/apimachinery/errors';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  Decision,
  Logger,
  RuleResolver,
} from '@apiserver/apiserver-contracts';
import { reviewSpecOf } from './review-spec.js';

/** Upstream: the size of responseCache in webhook.newWithBackoff */
const MAX_ENTRIES = 8_192;
/** Characters of a question that its asker controls; a longer one is not kept. Upstream: maxControlledAttrCacheSize */
const MAX_CONTROLLED_LENGTH = 10_000;

/** Has another server review an access. Rejects when there is no review. */
export type SubjectAccessReviewer = (
  spec: SubjectAccessReviewSpec,
  signal?: AbortSignal,
) => Promise<SubjectAccessReviewStatus>;

/** Dependencies of a webhook for accesses. */
export interface WebhookAuthorizerOptions {
  readonly review: SubjectAccessReviewer;
  /** Milliseconds for which an access that was allowed stays allowed. */
  readonly authorizedTtl: number;
  /** Milliseconds for which any other response is kept. */
  readonly unauthorizedTtl: number;
  /** The decision for an access without a review. */
  readonly decisionOnError: Exclude<Decision, 'Allow'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/**
 * Decides as another server does. Kept responses come at once.
 * Upstream: k8s.io/apiserver/plugin/pkg/authorizer/webhook
 */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer & RuleResolver {
  const responses = new ExpiringCache<SubjectAccessReviewStatus>(options.clock, MAX_ENTRIES);
  const ask = async (key: string, question: Question): Promise<AuthorizationResult> => {
    const { attributes, spec, signal } = question;
    try {
      const status = await options.review(spec, signal);
      const ttl = status.allowed ? options.authorizedTtl : options.unauthorizedTtl;
      if (controlledLength(attributes) < MAX_CONTROLLED_LENGTH) responses.set(key, status, ttl);
      return resultOf(status);
    } catch (error) {
      options.logger.error(error, 'Failed to make webhook authorizer request');
      const failure = errorOf(error);
      return { decision: options.decisionOnError, reason: '', error: failure };
    }
  };
  return {
    authorize: (attributes, signal) => {
      const spec = reviewSpecOf(attributes);
      const key = JSON.stringify(spec);
      const kept = responses.get(key);
      return kept === undefined ? ask(key, { attributes, spec, signal }) : resultOf(kept);
    },
    rulesFor: async () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      errors: [new Error('webhook authorizer does not support user rule resolution')],
    }),
  };
}

interface Question {
  readonly attributes: AuthorizationAttributes;
  readonly spec: SubjectAccessReviewSpec;
  readonly signal: AbortSignal | undefined;
}

function resultOf({ allowed, denied = false, reason = '' }: SubjectAccessReviewStatus): AuthorizationResult {
  if (denied && allowed) {
    const error = new Error('webhook subject access review returned both allow and deny response');
    return { decision: 'Deny', reason, error };
  }
  if (denied) return { decision: 'Deny', reason };
  return { decision: allowed ? 'Allow' : 'NoOpinion', reason };
}

/** Upstream: shouldCache */
function controlledLength(attributes: AuthorizationAttributes): number {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  return [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path].join('').length;
}
