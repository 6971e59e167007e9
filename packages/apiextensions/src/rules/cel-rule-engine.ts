import type { ValidationRule } from '@apiserver/api/apiextensions/v1';
import {
  type CelType,
  type CheckEnvironment,
  type CheckedExpression,
  checkExpression,
  type DeclType,
  declareKubernetesFunctions,
  declTypeProvider,
  ExpressionErrors,
  escapeField,
  type Functions,
  KUBERNETES_SYNTAX,
  nameTypes,
  optionalOf,
  parseExpression,
  schemaDeclType,
  validateLiterals,
} from '@apiserver/cel';
import { celSchemaOf } from './cel-schema.js';
import type { CheckedRule, RuleEngine } from './rule-engine.js';
import { trimSpace } from './rule-text.js';

/**
 * The engine of rules.
 *
 * Stored expressions and new ones have one environment: no library or option of 1.36 is younger than the version that the server
 * stays compatible with.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go
 */
export function newCelRuleEngine(): RuleEngine {
  const functions = declareKubernetesFunctions();
  return {
    declTypeOf: (props, isResource) => schemaDeclType(celSchemaOf(props), isResource),
    propertyTypeOf(object, name) {
      const field = escapeField(name);
      return field === undefined ? undefined : object.fields?.get(field);
    },
    check(rules, self, selfName) {
      const environments = environmentsOf(functions, nameTypes(self, selfName));
      return rules.map((rule) => checkRule(rule, environments));
    },
  };
}

/** The environments of rules whose `oldSelf` always has a value, and of those where it is optional. */
interface Environments {
  readonly always: CheckEnvironment;
  readonly optional: CheckEnvironment;
}

function environmentsOf(functions: Functions, self: DeclType): Environments {
  const types = declTypeProvider(self);
  const withOldSelf = (oldSelf: CelType) => ({
    functions,
    types,
    variables: new Map([
      ['self', self.type],
      ['oldSelf', oldSelf],
    ]),
  });
  return { always: withOldSelf(self.type), optional: withOldSelf(optionalOf(self.type)) };
}

function checkRule(rule: ValidationRule, environments: Environments): CheckedRule | undefined {
  if (trimSpace(rule.rule) === '') return undefined;
  const environment = rule.optionalOldSelf === true ? environments.optional : environments.always;
  const checked = compile(rule.rule, environment);
  if (checked instanceof ExpressionErrors) return { error: `compilation failed: ${checked}`, usesOldSelf: false };
  if (checked.resultType.kind !== 'bool') {
    return { error: 'cel expression must evaluate to a bool', usesOldSelf: false };
  }
  const messageError = faultOfMessage(rule.messageExpression ?? '', environment);
  return { usesOldSelf: usesOldSelf(checked), ...(messageError !== undefined && { messageError }) };
}

function faultOfMessage(expression: string, environment: CheckEnvironment): string | undefined {
  if (expression === '') return undefined;
  const checked = compile(expression, environment);
  if (checked instanceof ExpressionErrors) return `messageExpression compilation failed: ${checked}`;
  return checked.resultType.kind === 'string' ? undefined : 'messageExpression must evaluate to a string';
}

function compile(text: string, environment: CheckEnvironment): CheckedExpression | ExpressionErrors {
  const parsed = parseExpression(text, KUBERNETES_SYNTAX);
  if (parsed instanceof ExpressionErrors) return parsed;
  const checked = checkExpression(parsed, environment);
  return checked instanceof ExpressionErrors ? checked : (validateLiterals(checked) ?? checked);
}

function usesOldSelf({ references }: CheckedExpression): boolean {
  return references.values().some(({ name }) => name === 'oldSelf');
}
