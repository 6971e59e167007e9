import { parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { isParseError } from '@apiserver/apimachinery/text';
import { type CelType, structOf } from '../../types/cel-type.js';
import { NO_SUCH_OVERLOAD } from '../../values/errors.js';
import { EvaluationError, OpaqueValue } from '../../values/value.js';
import type {
  AuthorizationCheck,
  AuthorizationDecisions,
  CheckDecision,
  CheckedSelector,
  ServiceAccount,
} from './decisions.js';

/** A value of authorization. None equals another, not even itself: that is an error. */
abstract class AuthorizationValue extends OpaqueValue {
  readonly type: CelType;

  constructor(name: string) {
    super();
    this.type = structOf(`kubernetes.authorization.${name}`);
  }

  override get unwrapError(): EvaluationError {
    return NO_SUCH_OVERLOAD;
  }

  equals(): EvaluationError {
    return NO_SUCH_OVERLOAD;
  }

  /** Upstream gives no text either: messages show this error. */
  override toString(): string {
    return 'no such overload';
  }
}

/** The authorizer of a request, for its user or for a service account. */
export class AuthorizerValue extends AuthorizationValue {
  readonly decisions: AuthorizationDecisions;
  readonly serviceAccount: ServiceAccount | undefined;

  constructor(decisions: AuthorizationDecisions, serviceAccount?: ServiceAccount) {
    super('Authorizer');
    this.decisions = decisions;
    this.serviceAccount = serviceAccount;
  }
}

/** A path to check. */
export class PathCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super('PathCheck');
    this.authorizer = authorizer;
    this.path = path;
  }

  check(verb: string): DecisionValue | EvaluationError {
    return decide(this.authorizer, verb, this.path, () => ({ path: this.path }));
  }
}

/** A group whose resources to check. */
export class GroupCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super('GroupCheck');
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** The attributes of a resource to check, as an expression writes them. */
export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** A resource to check. */
export class ResourceCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly attributes: ResourceAttributes;

  constructor(authorizer: AuthorizerValue, attributes: ResourceAttributes) {
    super('ResourceCheck');
    this.authorizer = authorizer;
    this.attributes = attributes;
  }

  with(attributes: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.attributes, ...attributes });
  }

  check(verb: string): DecisionValue | EvaluationError {
    const { fieldSelector, labelSelector } = this.attributes;
    return decide(this.authorizer, verb, this.attributes, () => ({
      ...this.attributes,
      fieldSelector: parsed(fieldSelector, parseFieldSelector),
      labelSelector: parsed(labelSelector, parseLabelSelector),
    }));
  }
}

/** The decision of an authorizer. */
export class DecisionValue extends AuthorizationValue {
  readonly decision: CheckDecision;

  constructor(decision: CheckDecision) {
    super('Decision');
    this.decision = decision;
  }
}

function decide(
  { decisions, serviceAccount }: AuthorizerValue,
  verb: string,
  written: string | ResourceAttributes,
  target: () => AuthorizationCheck['target'],
): DecisionValue | EvaluationError {
  const key = JSON.stringify([serviceAccount, verb, written]);
  const decision = decisions.find(key, () => ({ serviceAccount, verb, target: target() }));
  return decision instanceof EvaluationError ? decision : new DecisionValue(decision);
}

function parsed<Selector>(text: string, parse: (text: string) => Selector): CheckedSelector<Selector> | undefined {
  if (text === '') return undefined;
  try {
    return { selector: parse(text) };
  } catch (error) {
    if (!isParseError(error)) throw error;
    return { error: error.message };
  }
}
