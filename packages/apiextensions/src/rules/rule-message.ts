import type { ValidationRule } from '@apiserver/api/apiextensions/v1';
import { quote, trimSpace } from '@apiserver/apimachinery/text';
import type { Evaluation } from './rule-engine.js';
import { ruleMessage } from './rule-text.js';

/**
 * Most bytes of an evaluated message. Upstream: MaxEvaluatedMessageExpressionSizeBytes of k8s.io/apiserver/pkg/apis/cel
 */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** The detail of a failed rule's error. */
export interface RuleMessage {
  readonly detail: string;
  /** True if the message cost so much that no more rules are run. */
  readonly isFatal: boolean;
}

/**
 * The message of a failed rule: that of its expression, unless this failed, is empty, too long, or has several lines.
 *
 * Upstream: evalMessageExpression of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
export function messageOf(rule: ValidationRule, evaluated: Evaluation | undefined, budget: number): RuleMessage {
  if (evaluated === undefined) return { detail: ruleMessage(rule), isFatal: false };
  if (evaluated.cost > budget) return { detail: `${OUT_OF_BUDGET}`, isFatal: true };
  if (evaluated.error?.startsWith('operation cancelled: actual cost limit exceeded')) {
    const expression = quote(rule.messageExpression ?? '');
    const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${expression}`;
    return { detail, isFatal: true };
  }
  const text = typeof evaluated.value === 'string' ? trimSpace(evaluated.value) : '';
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  return { detail: isUsable ? text : ruleMessage(rule), isFatal: false };
}

const OUT_OF_BUDGET =
  'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
