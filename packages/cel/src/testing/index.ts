export { type PolicyExpression, policyOutcome } from './policy-outcome.js';
export type { RecordedAuthorizer } from './recorded-authorizer.js';
export type { RecordedValue } from './recorded-value.js';
export { type RuleCase, type RuleOutcome, ruleOutcome } from './rule-outcome.js';
