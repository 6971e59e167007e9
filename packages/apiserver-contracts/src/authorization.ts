import type { FieldSelector, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { UserInfo } from './user-info.js';

/** What is asked for. Upstream: k8s.io/apiserver/pkg/authorization/authorizer.Attributes */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** get, list and watch. */
  readonly readOnly: boolean;
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The request path; what counts for non-resource requests. */
  readonly path: string;
  /** Parsed selectors of list, watch and deletecollection; undefined when absent or not parseable. */
  readonly fieldSelector?: FieldSelector;
  readonly labelSelector?: LabelSelector;
}

/** NoOpinion lets the next authorizer of a union decide; if nobody allows, the request is refused. */
export type Decision = 'Allow' | 'Deny' | 'NoOpinion';

/** What an authorizer says, and why. */
export interface AuthorizationResult {
  readonly decision: Decision;
  /** Shown to the client behind a refusal. */
  readonly reason: string;
  /** What went wrong while deciding; does not by itself change the decision. */
  readonly error?: Error;
}

/** Decides whether a request may go on. Upstream: k8s.io/apiserver/pkg/authorization/authorizer */
export interface Authorizer {
  authorize(
    attributes: AuthorizationAttributes,
    signal?: AbortSignal,
  ): Promise<AuthorizationResult> | AuthorizationResult;
}

/** A rule about resources, as SelfSubjectRulesReview tells it. */
export interface ResourceRuleInfo {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** A rule about other paths, as SelfSubjectRulesReview tells it. */
export interface NonResourceRuleInfo {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Lists what a user may do; `incomplete` when the authorizer cannot enumerate everything. */
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
