import { durationClock } from '@apiserver/apimachinery/clock';
import type { BackendDialer } from '@apiserver/proxy/backend';
import { loadKubeconfig, RestClient, type RestClientOptions } from '@apiserver/rest-client';

/**
 * Bytes of a response of a webhook for tokens, accesses, images or audit events. Texts of a review reach messages, the
 * log and the audit log, each of which encodes them in one turn. Upstream has no such bound.
 */
export const MAX_REVIEW_BYTES = 2 ** 20;

/** Input of `kubeconfigWebhook`. */
export interface KubeconfigWebhookOptions
  extends Pick<RestClientOptions, 'userAgent' | 'clock' | 'observer' | 'environment'> {
  /** Its cluster is the webhook, and its user is this server. */
  readonly configFile: string;
  /** Opens the connections. Default: TCP from this machine. */
  readonly dial?: BackendDialer | undefined;
}

/**
 * The client of a webhook that a kubeconfig names: requests go to the exact URL in it. Throws an Error for a kubeconfig
 * that cannot be used.
 * Upstream: LoadKubeconfig of k8s.io/apiserver/pkg/util/webhook
 */
export function kubeconfigWebhook({ configFile, dial, ...options }: KubeconfigWebhookOptions): RestClient {
  const config = loadKubeconfig(configFile, () => durationClock(options.clock).now(), dial);
  return new RestClient(config, { ...options, maxResponseBytes: MAX_REVIEW_BYTES });
}
