import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '@apiserver/api/authorization/v1';
import type { Authorizer, RuleResolver } from '@apiserver/apiserver-contracts';
import { type WebhookMatcher, webhookAuthorizer } from '@apiserver/authorization';
import type { WebhookConfiguration } from '@apiserver/authorization/configuration';
import { StartupError } from '@apiserver/component-base/process';
import type { RetryBackoff } from '@apiserver/rest-client';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { failureOf } from '../delegating/review-sender.js';
import { type ReviewVersion, reviewVersionOf, reviewWebhook } from '../webhooks/review-webhook.js';
import type { AuthorizationWebhookMetrics } from '../webhooks/webhook-metrics.js';

/** A webhook of a configuration, and what it needs of the server. */
export interface ConfiguredWebhook {
  readonly webhook: WebhookConfiguration;
  readonly backoff: RetryBackoff;
  /** Default: every access is reviewed. */
  readonly matcher?: WebhookMatcher | undefined;
  readonly metrics: AuthorizationWebhookMetrics;
}

/**
 * The authorizer of a webhook. Throws an Error for a kubeconfig or a version that cannot be used.
 * Upstream: newForConfig of pkg/kubeapiserver/authorizer/reload.go, New of
 * k8s.io/apiserver/plugin/pkg/authorizer/webhook
 */
export function configuredWebhook(
  { webhook, backoff, matcher, metrics }: ConfiguredWebhook,
  config: GenericServerConfig,
): Authorizer & RuleResolver {
  const { clock, logger } = config;
  const { connectionInfo, timeout, failurePolicy } = webhook;
  if (connectionInfo.kubeConfigFile === undefined) {
    throw new StartupError(`connectionInfo.type ${connectionInfo.type} is not allowed for kube-apiserver`);
  }
  const observe = metrics.attempted;
  const send = reviewWebhook(
    { kind: 'SubjectAccessReview', configFile: connectionInfo.kubeConfigFile, backoff, timeout, observe },
    config,
  );
  const version = reviewVersionOf(webhook.subjectAccessReviewVersion, 'webhook authorizer');
  const kind = { kind: 'SubjectAccessReview', apiVersion: `authorization.k8s.io/${version}`, metadata: {} };
  const decisionOnError = failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion';
  const review = async (spec: SubjectAccessReviewSpec, signal?: AbortSignal): Promise<SubjectAccessReviewStatus> => {
    try {
      const sent = { ...kind, spec: specOf(spec, version), status: { allowed: false } };
      return { allowed: false, ...(await send(sent, signal)) };
    } catch (error) {
      if (decisionOnError === 'NoOpinion' && !signal?.aborted) metrics.failedOpen(failureOf(error, signal));
      throw error;
    }
  };
  return webhookAuthorizer({
    review,
    matcher,
    decisionOnError,
    clock,
    logger,
    authorizedTtl: webhook.cacheAuthorizedRequests ? webhook.authorizedTtl : 0,
    unauthorizedTtl: webhook.cacheUnauthorizedRequests ? webhook.unauthorizedTtl : 0,
  });
}

/** v1beta1 has another name for groups. */
function specOf({ groups, ...spec }: SubjectAccessReviewSpec, version: ReviewVersion): object {
  if (groups === undefined) return spec;
  return version === 'v1beta1' ? { ...spec, group: groups } : { ...spec, groups };
}
