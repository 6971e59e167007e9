/**
 * A configuration of the chain of authorizers.
 * Upstream: k8s.io/apiserver/pkg/apis/apiserver (AuthorizationConfiguration)
 */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

/** One authorizer of the chain. */
export interface AuthorizerConfiguration {
  readonly type: string;
  readonly name: string;
  /** For the type Webhook. */
  readonly webhook?: WebhookConfiguration;
}

/** An authorization webhook, with defaults. Times are in milliseconds. */
export interface WebhookConfiguration {
  readonly authorizedTtl: number;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTtl: number;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeout: number;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  /** `Deny` or `NoOpinion`, once it is valid. */
  readonly failurePolicy: string;
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile?: string };
  /** Expressions. */
  readonly matchConditions: readonly string[];
}
