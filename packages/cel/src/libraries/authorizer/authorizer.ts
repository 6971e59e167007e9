import { validateNamespaceName, validateServiceAccountName } from '@apiserver/apimachinery/validation';
import { type CallCost, type Implementations, implement } from '../../values/implementation.js';
import { EvaluationError, type Result } from '../../values/value.js';
import { sizeOf } from '../call-costs.js';
import { trimText } from '../strings/trim-text.js';
import { AuthorizerValue, DecisionValue, GroupCheck, PathCheck, ResourceCheck } from './values.js';

/** A check costs so much that an expression can pay for two. */
export const CHECK: CallCost = () => 350_000;

/** A pass over a selector, a list, and a list and a structure for each second character: no requirement is shorter. */
export const SELECT: CallCost = ([, selector]) => {
  const length = sizeOf(selector);
  return 10 + Math.ceil(length * 0.1) + Math.ceil(Math.ceil(length * 0.5) * 50);
};

function path(authorizer: AuthorizerValue, text: string): Result {
  return trimText(text) === '' ? new EvaluationError('path must not be empty') : new PathCheck(authorizer, text);
}

function resource({ authorizer, group }: GroupCheck, name: string): Result {
  if (trimText(name) === '') return new EvaluationError('resource must not be empty');
  const all = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' };
  return new ResourceCheck(authorizer, { ...all, group, resource: name });
}

function serviceAccount({ decisions }: AuthorizerValue, namespace: string, name: string): Result {
  if (validateServiceAccountName(name).length > 0) return new EvaluationError('Invalid service account name');
  if (validateNamespaceName(namespace).length > 0) {
    return new EvaluationError('Invalid service account namespace');
  }
  return new AuthorizerValue(decisions, { namespace, name });
}

/** Upstream: k8s.io/apiserver/pkg/cel/library/authz.go */
export const AUTHORIZER_IMPLEMENTATIONS: Implementations = {
  authorizer_fieldselector: implement(
    [ResourceCheck, 'string'],
    (check, fieldSelector) => check.with({ fieldSelector }),
    SELECT,
  ),
  authorizer_group: implement([AuthorizerValue, 'string'], (authorizer, group) => new GroupCheck(authorizer, group)),
  authorizer_labelselector: implement(
    [ResourceCheck, 'string'],
    (check, labelSelector) => check.with({ labelSelector }),
    SELECT,
  ),
  authorizer_path: implement([AuthorizerValue, 'string'], path),
  authorizer_serviceaccount: implement([AuthorizerValue, 'string', 'string'], serviceAccount),
  decision_allowed: implement([DecisionValue], ({ decision }) => decision.allowed),
  decision_error: implement([DecisionValue], ({ decision }) => decision.error ?? ''),
  decision_errored: implement([DecisionValue], ({ decision }) => decision.error !== undefined),
  decision_reason: implement([DecisionValue], ({ decision }) => decision.reason),
  groupcheck_resource: implement([GroupCheck, 'string'], resource),
  pathcheck_check: implement([PathCheck, 'string'], (check, verb) => check.check(verb), CHECK),
  resourcecheck_check: implement([ResourceCheck, 'string'], (check, verb) => check.check(verb), CHECK),
  resourcecheck_name: implement([ResourceCheck, 'string'], (check, name) => check.with({ name })),
  resourcecheck_namespace: implement([ResourceCheck, 'string'], (check, namespace) => check.with({ namespace })),
  resourcecheck_subresource: implement([ResourceCheck, 'string'], (check, subresource) => check.with({ subresource })),
};
