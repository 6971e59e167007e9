/** A complete API server, without resources. */
export { consoleLogger, silentLogger } from '@apiserver/component-base/logging';
export type { Completed } from './config/completed.js';
export {
  type CompletedGenericServerConfig,
  completeGenericServerConfig,
  type GenericServerConfig,
  newGenericServerConfig,
  type SecureServingConfig,
  type ServerFeatures,
} from './config/generic-server-config.js';
export {
  type ListeningAddress,
  newServerContext,
  type ServerContext,
  type ServerContextEssentials,
  type ServerSignals,
} from './config/server-context.js';
export { type CertificateReader, certificateReader } from './dynamic-certificates/certificate-reader.js';
export { DynamicFiles, type FollowingProcess } from './dynamic-certificates/dynamic-files.js';
export { followedAuthorities } from './dynamic-certificates/followed-authorities.js';
export { type ServingContentOptions, servingContent } from './dynamic-certificates/serving-content.js';
export { watchFolders } from './dynamic-certificates/watch-files.js';
export { buildHandlerChain } from './filters/handler-chain.js';
export type {
  ApiServerOptions,
  AuthenticationApplier,
  AuthorizationApplier,
  ServedGroup,
  ServingSettings,
} from './front-door/api-server-options.js';
export { type ApiServer, createApiServer, type RequestListener } from './front-door/create-api-server.js';
export { apiGroupInfo, groupVersionsOf } from './front-door/install-groups.js';
export { type HealthCheck, pingCheck } from './health/health-check.js';
export { LifecycleSignal } from './lifecycle/lifecycle-signal.js';
export type { PostStartHook, PostStartHookContext } from './lifecycle/post-start-hook.js';
export { installLogFiles } from './log-files/install-log-files.js';
export { createLoopbackClient, type LoopbackClientOptions } from './loopback/loopback-client.js';
export { LoopbackEndpoint } from './loopback/loopback-endpoint.js';
export type { MuxOptions, NonGoRestfulMux } from './mux/non-go-restful-mux.js';
export { installWebService, type WebServiceOptions } from './mux/web-service.js';
export { type AuthenticationDependencies, AuthenticationOptions } from './options/authentication-options.js';
export { AuthorizationOptions } from './options/authorization-options.js';
export type { AppliedAuthentication } from './options/client-authorities.js';
export { DelegatingAuthenticationOptions } from './options/delegating-authentication-options.js';
export { DelegatingAuthorizationOptions } from './options/delegating-authorization-options.js';
export { EgressSelectorOptions } from './options/egress-selector-options.js';
export { ProfilingOptions } from './options/profiling-options.js';
export { RecommendedOptions } from './options/recommended-options.js';
export { RequestHeaderOptions, type RequestHeaderTrust } from './options/request-header-options.js';
export {
  type CertificateFiles,
  SecureServingOptions,
  type ServingDependencies,
} from './options/secure-serving-options.js';
export { ServerRunOptions } from './options/server-run-options.js';
export type { DebugFlagSetter } from './profiling/debug-flags.js';
export { isLongRunning, type LongRunningCheck } from './request/long-running.js';
export type { OriginMatcher } from './request/origin-matcher.js';
export { type NewGenericServerOptions, newGenericServer } from './server/api-server.js';
export type { HandlerSource } from './server/director.js';
export { externalAddress } from './server/external-address.js';
export type {
  DelegationTarget,
  GenericServer,
  PreparedServer,
  PreShutdownHook,
} from './server/generic-server.js';
export { newEmptyDelegate, notFoundHandler, notFoundWhenComplete } from './server/not-found.js';
export { type Fetch, type ToFetchOptions, toFetch } from './serving/in-process/to-fetch.js';
export {
  createSecureListener,
  type SecureListener,
  type SecureListenerOptions,
} from './serving/secure-listener.js';
export type { TlsMaterial } from './serving/tls/tls-material.js';
export { type ToExpressOptions, toExpress } from './serving/to-express.js';
export { ConnectionCut } from './serving/transport/connection-cut.js';
export { type ReviewWebhookOptions, reviewWebhook } from './webhooks/review-webhook.js';
