import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '@apiserver/api/authorization/v1';
import type { Authorizer, RuleResolver } from '@apiserver/apiserver-contracts';
import { webhookAuthorizer } from '@apiserver/authorization';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { defaultRetryBackoff, type RetryBackoff } from '@apiserver/rest-client';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { failureOf } from '../delegating/review-sender.js';
import { type ReviewVersion, reviewVersionOf, reviewWebhook } from '../webhooks/review-webhook.js';
import { authorizationWebhookMetrics } from '../webhooks/webhook-metrics.js';
import { validateBackoff } from './validate-backoff.js';

const MODE = 'Webhook';
/** The name in metrics. Upstream: defaultWebhookName of pkg/kubeapiserver/options */
const NAME = 'default';

/**
 * The webhook of `--authorization-mode=Webhook`. A request goes on without an opinion when it fails.
 * Upstream: BuiltInAuthorizationOptions of pkg/kubeapiserver/options
 */
export class AuthorizationWebhookOptions {
  /** `--authorization-webhook-config-file` */
  configFile = '';
  /** `--authorization-webhook-version` */
  version = 'v1beta1';
  /** `--authorization-webhook-cache-authorized-ttl`, in milliseconds */
  authorizedTtl = 300_000;
  /** `--authorization-webhook-cache-unauthorized-ttl`, in milliseconds */
  unauthorizedTtl = 30_000;
  /** Pauses between attempts of a review. */
  retryBackoff: RetryBackoff = defaultRetryBackoff;

  addFlags(flags: FlagSet): void {
    flags.string(
      'authorization-webhook-config-file',
      field(this, 'configFile'),
      'Kubeconfig of the webhook of --authorization-mode=Webhook. The reviews are posted to the URL of its cluster.',
    );
    flags.string(
      'authorization-webhook-version',
      field(this, 'version'),
      'Version of authorization.k8s.io SubjectAccessReview to send to and expect from the webhook: v1 or v1beta1.',
    );
    flags.duration(
      'authorization-webhook-cache-authorized-ttl',
      field(this, 'authorizedTtl'),
      'Time for which the webhook’s permission is cached.',
    );
    flags.duration(
      'authorization-webhook-cache-unauthorized-ttl',
      field(this, 'unauthorizedTtl'),
      'Time for which any other response of the webhook is cached.',
    );
  }

  validate(modes: readonly string[]): readonly Error[] {
    const hasMode = modes.includes(MODE);
    const messages: string[] = [];
    if (hasMode && this.configFile === '') {
      messages.push(`authorization-mode ${MODE}'s authorization config file not passed`);
    }
    if (!hasMode && this.configFile !== '') {
      messages.push(`cannot specify --authorization-webhook-config-file without mode ${MODE}`);
    }
    return [...messages.map((message) => new Error(message)), ...validateBackoff(this.retryBackoff)];
  }

  /** Throws an Error for a kubeconfig or a version that cannot be used. */
  authorizer(config: GenericServerConfig): Authorizer & RuleResolver {
    const { authorizedTtl, configFile, retryBackoff: backoff, unauthorizedTtl } = this;
    const { clock, logger } = config;
    const metrics = authorizationWebhookMetrics(config.metrics, NAME);
    const send = reviewWebhook({ configFile, backoff, observe: metrics.attempted }, config);
    const version = reviewVersionOf(this.version, 'webhook authorizer');
    const kind = { kind: 'SubjectAccessReview', apiVersion: `authorization.k8s.io/${version}`, metadata: {} };
    const review = async (spec: SubjectAccessReviewSpec, signal?: AbortSignal): Promise<SubjectAccessReviewStatus> => {
      try {
        const sent = { ...kind, spec: specOf(spec, version), status: { allowed: false } };
        return { allowed: false, ...(await send(sent, signal)) };
      } catch (error) {
        if (!signal?.aborted) metrics.failedOpen(failureOf(error, signal));
        throw error;
      }
    };
    const ttls = { authorizedTtl, unauthorizedTtl };
    return webhookAuthorizer({ ...ttls, review, decisionOnError: 'NoOpinion', clock, logger });
  }
}

/** v1beta1 has another name for groups. */
function specOf({ groups, ...spec }: SubjectAccessReviewSpec, version: ReviewVersion): object {
  if (groups === undefined) return spec;
  return version === 'v1beta1' ? { ...spec, group: groups } : { ...spec, groups };
}
