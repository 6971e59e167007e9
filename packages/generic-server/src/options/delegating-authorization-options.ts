import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '@apiserver/api/authorization/v1';
import { type Authorizer, wellKnownGroups } from '@apiserver/apiserver-contracts';
import {
  pathAuthorizer,
  privilegedGroupsAuthorizer,
  unionAuthorizer,
  webhookAuthorizer,
} from '@apiserver/authorization';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { defaultRetryBackoff, type RestClient, type RetryBackoff } from '@apiserver/rest-client';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { delegatedClient } from '../delegating/delegated-client.js';
import { delegatedRequestMetrics } from '../delegating/delegated-metrics.js';
import { reviewSender } from '../delegating/review-sender.js';
import { validateBackoff } from './validate-backoff.js';

/**
 * Authorization of an extension server's clients by the core server.
 * Upstream: k8s.io/apiserver/pkg/server/options.DelegatingAuthorizationOptions
 */
export class DelegatingAuthorizationOptions {
  /** `--authorization-kubeconfig`; "": the cluster that this process runs in. */
  kubeconfig = '';
  /** If true, the server starts without a core server. Upstream: RemoteKubeConfigFileOptional */
  isKubeconfigOptional = false;
  /** `--authorization-webhook-cache-authorized-ttl`, in milliseconds */
  allowCacheTtl = 10_000;
  /** `--authorization-webhook-cache-unauthorized-ttl`, in milliseconds */
  denyCacheTtl = 10_000;
  /** `--authorization-always-allow-paths` */
  alwaysAllowPaths: readonly string[] = ['/healthz', '/readyz', '/livez'];
  /** Groups whose members may do everything. */
  alwaysAllowGroups: readonly string[] = [wellKnownGroups.privileged];
  /** Milliseconds for each attempt of a review. Upstream: ClientTimeout */
  clientTimeout = 10_000;
  /** Pauses between attempts of a review. */
  retryBackoff: RetryBackoff = defaultRetryBackoff;

  addFlags(flags: FlagSet): void {
    const optional = ' Without it every request is forbidden that authorization does not skip.';
    flags.string(
      'authorization-kubeconfig',
      field(this, 'kubeconfig'),
      `Kubeconfig of the core server, with a user who may create subjectaccessreviews.authorization.k8s.io. Default: the cluster that this server runs in.${this.isKubeconfigOptional ? optional : ''}`,
    );
    flags.duration(
      'authorization-webhook-cache-authorized-ttl',
      field(this, 'allowCacheTtl'),
      'Time for which an access stays allowed that the core server has allowed.',
    );
    flags.duration(
      'authorization-webhook-cache-unauthorized-ttl',
      field(this, 'denyCacheTtl'),
      'Time for which any other response of the core server is kept.',
    );
    flags.stringSlice(
      'authorization-always-allow-paths',
      field(this, 'alwaysAllowPaths'),
      'Paths, comma separated, that everybody may use: the core server is not asked.',
    );
  }

  validate(): readonly Error[] {
    return validateBackoff(this.retryBackoff);
  }

  /** Sets the authorizer of the config. Throws an Error for an unusable kubeconfig or path. */
  applyTo(config: GenericServerConfig): Authorizer {
    const { alwaysAllowGroups, alwaysAllowPaths } = this;
    const authorizers: Authorizer[] = [];
    if (alwaysAllowGroups.length > 0) authorizers.push(privilegedGroupsAuthorizer(alwaysAllowGroups));
    if (alwaysAllowPaths.length > 0) authorizers.push(pathAuthorizer(alwaysAllowPaths));
    const client = this.#client(config);
    if (client === undefined) {
      config.logger.warning(
        "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.",
      );
    } else {
      authorizers.push(this.#webhook(config, client));
    }
    const authorizer = unionAuthorizer(authorizers);
    config.authorizer = authorizer;
    return authorizer;
  }

  #client({ clock, logger, version, restClientMetrics }: GenericServerConfig): RestClient | undefined {
    return delegatedClient({
      purpose: 'authorization',
      kubeconfig: this.kubeconfig,
      isOptional: this.isKubeconfigOptional,
      userAgent: `apiserver/${version.gitVersion}`,
      observer: restClientMetrics,
      clock,
      logger,
    });
  }

  #webhook({ clock, logger, metrics, random }: GenericServerConfig, client: RestClient): Authorizer {
    const send = reviewSender({
      kind: 'SubjectAccessReview',
      client,
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      backoff: this.retryBackoff,
      clock,
      random,
      attemptTimeout: this.clientTimeout,
      timeout: 0,
      observe: delegatedRequestMetrics(metrics, 'authz'),
    });
    const review = async (spec: SubjectAccessReviewSpec, signal?: AbortSignal): Promise<SubjectAccessReviewStatus> => {
      const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
      return { allowed: false, ...(await send({ ...kind, spec }, signal)) };
    };
    return webhookAuthorizer({
      review,
      authorizedTtl: this.allowCacheTtl,
      unauthorizedTtl: this.denyCacheTtl,
      decisionOnError: 'NoOpinion',
      clock,
      logger,
    });
  }
}
