import { messageOf } from '@apiserver/apimachinery/errors';
import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  pathAttributes,
  resourceAttributes,
  type UserInfo,
} from '@apiserver/apiserver-contracts';
import type { AuthorizationCheck, CheckDecision, CheckedSelector, ServiceAccount } from '@apiserver/cel';

/** Asks the authorizer of the server about a check of an expression. It does not reject. */
export function decideCheck(
  authorizer: Authorizer,
  user: UserInfo,
  check: AuthorizationCheck,
  signal: AbortSignal,
): Promise<CheckDecision> | CheckDecision {
  const asked = attributesOf(check, check.serviceAccount === undefined ? user : userOf(check.serviceAccount));
  try {
    const result = authorizer.authorize(asked, signal);
    return result instanceof Promise ? result.then(decisionOf, failure) : decisionOf(result);
  } catch (error) {
    return failure(error);
  }
}

function decisionOf({ decision, reason, error }: AuthorizationResult): CheckDecision {
  return { allowed: decision === 'Allow', reason, error: error?.message };
}

function failure(error: unknown): CheckDecision {
  return { allowed: false, reason: '', error: messageOf(error) };
}

/** Upstream: pathCheckVal and resourceCheckVal in k8s.io/apiserver/pkg/cel/library/authz.go */
function attributesOf({ verb, target }: AuthorizationCheck, user: UserInfo): AuthorizationAttributes {
  if ('path' in target) return pathAttributes(user, verb, target.path);
  const { group, resource, subresource, namespace, name } = target;
  const fieldSelector = selectorOf(target.fieldSelector);
  const labelSelector = selectorOf(target.labelSelector);
  return resourceAttributes(user, {
    verb,
    apiGroup: group,
    apiVersion: '*',
    namespace,
    resource,
    subresource,
    name,
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  });
}

/** A selector that does not parse restricts nothing: the authorizer decides about all objects. */
function selectorOf<Selector>(checked: CheckedSelector<Selector> | undefined): Selector | undefined {
  return checked === undefined || 'error' in checked ? undefined : checked.selector;
}

function userOf({ namespace, name }: ServiceAccount): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: {},
  };
}
