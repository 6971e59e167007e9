import { quote } from '@apiserver/apimachinery/text';
import { StartupError } from '@apiserver/component-base/process';
import { defaultRetryBackoff, type RetryBackoff } from '@apiserver/rest-client';
import { kubeconfigWebhook } from '@apiserver/webhook';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import type { ReviewKind } from '../delegating/review-decoders.js';
import { type ReviewAttempt, type ReviewSender, reviewSender } from '../delegating/review-sender.js';

/** Upstream: defaultRequestTimeout of k8s.io/apiserver/pkg/util/webhook */
const ATTEMPT_TIMEOUT_MS = 30_000;

/** Versions of the reviews that webhooks know. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Versions of reviews, the preferred one first. */
const VERSIONS: readonly ReviewVersion[] = ['v1', 'v1beta1'];

/** A webhook that reviews tokens or accesses. */
export interface ReviewWebhookOptions {
  readonly kind: ReviewKind;
  /** Kubeconfig. Its cluster is the webhook and its user is this server. */
  readonly configFile: string;
  /** The differences from upstream's default. */
  readonly backoff: Partial<RetryBackoff>;
  /** Milliseconds for one attempt. Default: 30 seconds. */
  readonly timeout?: number;
  /** Called after each attempt. */
  readonly observe?: (attempt: ReviewAttempt) => void;
}

/**
 * Sends reviews to the exact URL in a kubeconfig, so that the webhook need not be an API server. Throws an Error for a
 * kubeconfig that cannot be used.
 * Upstream: LoadKubeconfig and NewGenericWebhook of k8s.io/apiserver/pkg/util/webhook
 */
export function reviewWebhook(
  { kind, configFile, backoff, timeout = ATTEMPT_TIMEOUT_MS, observe = () => {} }: ReviewWebhookOptions,
  { clock, random, version, restClientMetrics, egress }: GenericServerConfig,
): ReviewSender {
  const userAgent = `kube-apiserver/${version.gitVersion}`;
  const client = kubeconfigWebhook({
    configFile,
    userAgent,
    clock,
    observer: restClientMetrics.webhooks,
    dial: egress?.('controlplane'),
  });
  return reviewSender({
    kind,
    client,
    path: '',
    clock,
    random,
    observe,
    backoff: { ...defaultRetryBackoff, ...backoff },
    attemptTimeout: timeout,
    timeout: 0,
  });
}

/** The version of a flag. Throws a StartupError for another text; `what` begins its message. */
export function reviewVersionOf(text: string, what: string): ReviewVersion {
  const found = VERSIONS.find((version) => version === text);
  if (found !== undefined) return found;
  throw new StartupError(
    `unsupported ${what} version ${quote(text)}, supported versions are ${VERSIONS.map(quote).join(', ')}`,
  );
}
