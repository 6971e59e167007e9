import type { FieldSelector, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { UserInfo } from './user-info.js';

/** The attributes of a request to authorize. Upstream: k8s.io/apiserver/pkg/authorization/authorizer.Attributes */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** True for get, list and watch. */
  readonly readOnly: boolean;
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The request path; relevant for non-resource requests. */
  readonly path: string;
  /** Parsed selectors of list, watch and deletecollection; undefined if absent or invalid. */
  readonly fieldSelector?: FieldSelector;
  readonly labelSelector?: LabelSelector;
}

/** NoOpinion leaves the decision to the next authorizer of a union. The request is refused if none allows it. */
export type Decision = 'Allow' | 'Deny' | 'NoOpinion';

/** The decision of an authorizer, with its reason. */
export interface AuthorizationResult {
  readonly decision: Decision;
  /** Shown to the client in a refusal. */
  readonly reason: string;
  /** An error during the decision; it does not change the decision. */
  readonly error?: Error;
}

/** Decides whether a request may proceed. Upstream: k8s.io/apiserver/pkg/authorization/authorizer */
export interface Authorizer {
  /**
   * True if a decision may wait for another server. Callers then pass a signal, which ends the wait. Default: false.
   */
  readonly isRemote?: boolean;
  authorize(
    attributes: AuthorizationAttributes,
    signal?: AbortSignal,
  ): Promise<AuthorizationResult> | AuthorizationResult;
}

/** A resource rule, as in SelfSubjectRulesReview. */
export interface ResourceRuleInfo {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** A non-resource rule, as in SelfSubjectRulesReview. */
export interface NonResourceRuleInfo {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Lists a user's permissions; `incomplete` if the authorizer cannot enumerate all of them. */
export interface RuleResolver {
  rulesFor(
    user: UserInfo,
    namespace: string,
  ): Promise<{
    readonly resourceRules: readonly ResourceRuleInfo[];
    readonly nonResourceRules: readonly NonResourceRuleInfo[];
    readonly incomplete: boolean;
    readonly errors: readonly Error[];
  }>;
}
