import { createHash } from 'node:crypto';
import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '@apiserver/api/authorization/v1';
import { boundedByText, type Clock, ExpiringCache } from '@apiserver/apimachinery/clock';
import { errorOf } from '@apiserver/apimachinery/errors';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  Decision,
  Logger,
  RuleResolver,
} from '@apiserver/apiserver-contracts';
import type { AccessMatch } from '../match-conditions/access-matcher.js';
import { reviewSpecOf } from './review-spec.js';

/** Upstream: the size of responseCache in webhook.newWithBackoff */
const MAX_ENTRIES = 8_192;
/** Characters of all kept reviews. A reason of a webhook may be long. Upstream has no such bound. */
const MAX_KEPT = 32 * 2 ** 20;
/** Bytes of a question that its asker controls; a longer one is not kept. Upstream: maxControlledAttrCacheSize */
const MAX_CONTROLLED_BYTES = 10_000;

/** Characters of a key of the cache. */
const MAX_KEY = 1_024;

const skipped: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Has another server review an access. Rejects when there is no review. */
export type SubjectAccessReviewer = (
  spec: SubjectAccessReviewSpec,
  signal?: AbortSignal,
) => Promise<SubjectAccessReviewStatus>;

/** Dependencies of a webhook for accesses. */
export interface WebhookAuthorizerOptions {
  readonly review: SubjectAccessReviewer;
  /** The conditions of calls. Default: every access is reviewed. */
  readonly matcher?: WebhookMatcher | undefined;
  /** Milliseconds for which an access that was allowed stays allowed. */
  readonly authorizedTtl: number;
  /** Milliseconds for which any other response is kept. */
  readonly unauthorizedTtl: number;
  /** The decision for an access without a review. */
  readonly decisionOnError: Exclude<Decision, 'Allow'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** Reports whether an access is to be reviewed. */
export interface WebhookMatcher {
  match(spec: SubjectAccessReviewSpec): AccessMatch | Promise<AccessMatch>;
}

/**
 * Decides as another server does. Kept responses come at once.
 * Upstream: k8s.io/apiserver/plugin/pkg/authorizer/webhook
 */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer & RuleResolver {
  const { matcher, decisionOnError } = options;
  const responses = new ExpiringCache<SubjectAccessReviewStatus>(options.clock, MAX_ENTRIES, boundedByText(MAX_KEPT));
  const ask = async (key: string, question: Question): Promise<AuthorizationResult> => {
    const { attributes, spec, signal } = question;
    try {
      const status = await options.review(spec, signal);
      const ttl = status.allowed ? options.authorizedTtl : options.unauthorizedTtl;
      if (mayKeep(attributes)) responses.set(key, status, ttl);
      return resultOf(status);
    } catch (error) {
      options.logger.error(error, 'Failed to make webhook authorizer request');
      return { decision: decisionOnError, reason: '', error: errorOf(error) };
    }
  };
  const decide = (question: Question): AuthorizationResult | Promise<AuthorizationResult> => {
    const key = keyOf(question.spec);
    const kept = responses.get(key);
    return kept === undefined ? ask(key, question) : resultOf(kept);
  };
  const decideMatched = (question: Question, match: AccessMatch) => {
    if ('error' in match) return { decision: decisionOnError, reason: '', error: match.error };
    return match.matches ? decide(question) : skipped;
  };
  return {
    isRemote: true,
    authorize: (attributes, signal) => {
      const question = { attributes, spec: reviewSpecOf(attributes), signal };
      if (matcher === undefined) return decide(question);
      const match = matcher.match(question.spec);
      return match instanceof Promise
        ? match.then((settled) => decideMatched(question, settled))
        : decideMatched(question, match);
    },
    rulesFor: async () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      errors: [new Error('webhook authorizer does not support user rule resolution')],
    }),
  };
}

/** A review names any user, with any number of groups: a long key is kept as its hash. */
function keyOf(spec: SubjectAccessReviewSpec): string {
  const key = JSON.stringify(spec);
  return key.length <= MAX_KEY ? key : createHash('sha256').update(key).digest('base64');
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
function mayKeep(attributes: AuthorizationAttributes): boolean {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  const controlled = [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path].join('');
  return controlled.length < MAX_CONTROLLED_BYTES && Buffer.byteLength(controlled) < MAX_CONTROLLED_BYTES;
}
