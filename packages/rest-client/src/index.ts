/** A client of another API server. */

export type { BackendDialer } from '@apiserver/proxy/backend';

export { decodeKubeconfig } from './decode-kubeconfig.js';
export { type InClusterOptions, inClusterConfig, NotInClusterError } from './in-cluster-config.js';
export { kubeconfigUsers, type UserCredentials } from './kubeconfig-users.js';
export { loadKubeconfig } from './load-kubeconfig.js';
export { remoteList } from './remote-object.js';
export { type RemoteResourceClient, remoteResourceClient } from './remote-resource-client.js';
export { RemoteServerError } from './remote-server-error.js';
export { watchOfBody } from './remote-watch.js';
export { RestClient, type RestClientOptions } from './rest-client.js';
export { RestClientMetrics } from './rest-client-metrics.js';
export { newRestConfig, type RestConfig, type ServerAddress } from './rest-config.js';
export type { RestAttempt, RestObserver } from './rest-observer.js';
export type { RestRequest, RestResponse, RestSender, RestTextResponse } from './rest-request.js';
export { defaultRetryBackoff, type RetryBackoff, retryWithBackoff } from './retry.js';
