import {
  type AuthorizationResult,
  type Authorizer,
  type RuleResolver,
  wellKnownGroups,
} from '@apiserver/apiserver-contracts';
import { privilegedGroupsAuthorizer } from './privileged-groups.js';
import { unionAuthorizer } from './union.js';
import { unionRuleResolver } from './union-rule-resolver.js';

/** The authorizer of a server, and its resolver of a user's rules. */
export interface ServerAuthorization {
  readonly authorizer: Authorizer;
  readonly ruleResolver: RuleResolver;
}

/** One authorizer of a chain. */
export interface ChainLink {
  readonly type: string;
  readonly name: string;
  readonly authorizer: Authorizer & RuleResolver;
}

/** Counts the decisions of one authorizer. Upstream: k8s.io/apiserver/pkg/authorization/metrics */
export type DecisionObserver = (decision: 'Allow' | 'Deny') => void;

/** Returns the observer of a link. */
export type ObserveLink = (link: Pick<ChainLink, 'type' | 'name'>) => DecisionObserver;

/**
 * The authorizer of a server: members of system:masters may do everything, then the links decide in order. Only the
 * links list rules.
 * Upstream: newForConfig of pkg/kubeapiserver/authorizer/reload.go
 */
export function authorizationChain(links: readonly ChainLink[], observe?: ObserveLink): ServerAuthorization {
  const counted = links.map((link) => (observe === undefined ? link.authorizer : counting(link, observe(link))));
  return {
    authorizer: unionAuthorizer([privilegedGroupsAuthorizer([wellKnownGroups.privileged]), ...counted]),
    ruleResolver: unionRuleResolver(links.map(({ authorizer }) => authorizer)),
  };
}

function counting({ authorizer }: ChainLink, observe: DecisionObserver): Authorizer {
  const count = (result: AuthorizationResult) => {
    if (result.decision !== 'NoOpinion') observe(result.decision);
    return result;
  };
  const { isRemote = false } = authorizer;
  return {
    isRemote,
    authorize(attributes, signal) {
      const result = authorizer.authorize(attributes, signal);
      return result instanceof Promise ? result.then(count) : count(result);
    },
  };
}
