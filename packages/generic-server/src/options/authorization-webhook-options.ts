import type { WebhookConfiguration } from '@apiserver/authorization/configuration';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { defaultRetryBackoff, type RetryBackoff } from '@apiserver/rest-client';
import { validateBackoff } from './validate-backoff.js';

const ATTEMPT_TIMEOUT_MS = 30_000;

/** The flags by which a configuration file cannot be accompanied. */
export const WEBHOOK_FLAGS = [
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
] as const;

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
      "Time for which the webhook's permission is cached.",
    );
    flags.duration(
      'authorization-webhook-cache-unauthorized-ttl',
      field(this, 'unauthorizedTtl'),
      'Time for which any other response of the webhook is cached.',
    );
  }

  validate(): readonly Error[] {
    return validateBackoff(this.retryBackoff);
  }

  /** The same as a configuration file would have it. Upstream: buildAuthorizationConfiguration */
  toConfiguration(): WebhookConfiguration {
    return {
      authorizedTtl: this.authorizedTtl,
      cacheAuthorizedRequests: this.authorizedTtl !== 0,
      unauthorizedTtl: this.unauthorizedTtl,
      cacheUnauthorizedRequests: this.unauthorizedTtl !== 0,
      timeout: ATTEMPT_TIMEOUT_MS,
      failurePolicy: 'NoOpinion',
      subjectAccessReviewVersion: this.version,
      matchConditionSubjectAccessReviewVersion: '',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: this.configFile },
      matchConditions: [],
    };
  }
}
