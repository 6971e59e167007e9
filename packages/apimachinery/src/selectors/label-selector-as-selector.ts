import { ParseError } from '../text/parse-error.js';
import { quote } from '../text/quote.js';
import type { LabelSelectorRequirementSpec, LabelSelectorSpec } from '../types/label-selector-spec.js';
import type { Labels } from '../types/labels.js';
import { type LabelOperator, LabelRequirement, newLabelRequirement } from './label-requirement.js';
import { everythingSelector, type LabelSelector, nothingSelector, selectorOf } from './label-selector.js';

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * The predicate of a selector in an object's spec: an absent one selects nothing, an empty one everything. Throws a
 * ParseError with upstream's text when it is invalid.
 *
 * Upstream: LabelSelectorAsSelector in k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go
 */
export function labelSelectorAsSelector(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  if (spec === undefined || spec === null) return nothingSelector;
  const requirements = [
    ...Object.entries(spec.matchLabels ?? {}).map(([key, value]) => newLabelRequirement(key, '=', [value])),
    ...(spec.matchExpressions ?? []).map(expressionRequirement),
  ];
  return selectorOf(requirements);
}

function expressionRequirement(expression: LabelSelectorRequirementSpec): LabelRequirement {
  const operator = OPERATORS.get(expression.operator);
  if (operator === undefined) {
    throw new ParseError(`${quote(expression.operator)} is not a valid label selector operator`);
  }
  return newLabelRequirement(expression.key, operator, expression.values ?? []);
}

/** The selector of objects whose labels include these; nothing is validated. */
export function labelSelectorFromSet(labels: Labels | undefined): LabelSelector {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return everythingSelector;
  return selectorOf(entries.map(([key, value]) => new LabelRequirement(key, '=', [value])));
}
