import type { TokenReviewSpec, TokenReviewStatus } from '@apiserver/api/authentication/v1';
import type { TokenAuthenticator } from '@apiserver/apiserver-contracts';
import {
  cachedTokenAuthenticator,
  type TokenCacheObserver,
  webhookTokenAuthenticator,
} from '@apiserver/authentication';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { defaultRetryBackoff, type RetryBackoff } from '@apiserver/rest-client';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { reviewVersionOf, reviewWebhook } from '../webhooks/review-webhook.js';
import { validateBackoff } from './validate-backoff.js';

/**
 * A webhook that reviews bearer tokens.
 * Upstream: WebHookAuthenticationOptions of pkg/kubeapiserver/options
 */
export class AuthenticationWebhookOptions {
  /** `--authentication-token-webhook-config-file`; "": no webhook. */
  configFile = '';
  /** `--authentication-token-webhook-version` */
  version = 'v1beta1';
  /** `--authentication-token-webhook-cache-ttl`, in milliseconds */
  cacheTtl = 120_000;
  /** Pauses between attempts of a review. */
  retryBackoff: RetryBackoff = defaultRetryBackoff;

  addFlags(flags: FlagSet): void {
    flags.string(
      'authentication-token-webhook-config-file',
      field(this, 'configFile'),
      'Kubeconfig of a webhook that reviews bearer tokens. The reviews are posted to the URL of its cluster.',
    );
    flags.string(
      'authentication-token-webhook-version',
      field(this, 'version'),
      'Version of authentication.k8s.io TokenReview to send to and expect from the webhook: v1 or v1beta1.',
    );
    flags.duration(
      'authentication-token-webhook-cache-ttl',
      field(this, 'cacheTtl'),
      'Time for which the review of a token is cached.',
    );
  }

  validate(): readonly Error[] {
    return validateBackoff(this.retryBackoff);
  }

  /**
   * Undefined without a kubeconfig. Throws an Error for a kubeconfig or a version that cannot be used. The audiences
   * are those of a review that names none.
   */
  tokenAuthenticator(
    config: GenericServerConfig,
    implicitAudiences: readonly string[],
    observer: TokenCacheObserver,
  ): TokenAuthenticator | undefined {
    const { cacheTtl, configFile, retryBackoff: backoff } = this;
    if (configFile === '') return undefined;
    const { clock, logger } = config;
    // Upstream counts no requests of this webhook.
    const send = reviewWebhook({ kind: 'TokenReview', configFile, backoff, observe: () => {} }, config);
    const version = reviewVersionOf(this.version, 'authentication webhook');
    const kind = { kind: 'TokenReview', apiVersion: `authentication.k8s.io/${version}`, metadata: {} };
    const review = async (spec: TokenReviewSpec): Promise<TokenReviewStatus> => {
      const status = await send({ ...kind, spec, status: { user: {} } });
      return { user: {}, ...status };
    };
    return cachedTokenAuthenticator(webhookTokenAuthenticator({ review, implicitAudiences, logger }), {
      successTtl: cacheTtl,
      failureTtl: cacheTtl,
      clock,
      observer,
    });
  }
}
