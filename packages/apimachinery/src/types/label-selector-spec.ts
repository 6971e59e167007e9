import type { Labels } from './labels.js';

/** A label selector in the spec of an object (`spec.selector` of a Deployment). */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirementSpec[];
}

/** One condition of a LabelSelectorSpec. `operator` is In, NotIn, Exists or DoesNotExist once validated. */
export interface LabelSelectorRequirementSpec {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}
