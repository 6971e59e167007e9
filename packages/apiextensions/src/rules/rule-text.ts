import type { ValidationRule } from '@apiserver/api/apiextensions/v1';
import { trimSpace } from '@apiserver/apimachinery/text';

/** The name of a rule in messages: its message, or else the expression. Upstream: ruleErrorString */
export function ruleName({ rule, message }: ValidationRule): string {
  return trimSpace(message || rule);
}

/** The message of a failed rule without a message expression. Upstream: ruleMessageOrDefault */
export function ruleMessage(rule: ValidationRule): string {
  return rule.message ? trimSpace(rule.message) : `failed rule: ${ruleName(rule)}`;
}
