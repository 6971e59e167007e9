export type { RecordedValue } from './recorded-value.js';
export { type RuleCase, type RuleOutcome, ruleOutcome } from './rule-outcome.js';
