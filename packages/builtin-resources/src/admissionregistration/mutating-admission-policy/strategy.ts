import { type MutatingAdmissionPolicy, MutatingAdmissionPolicySpec } from '@apiserver/api/admissionregistration/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { hasStoredMatchConditions } from '../strategy/stored-conditions.js';
import { ExpressionChecks } from '../validation/expression-checks.js';
import { mutatingPolicyExpressions, validateMutatingAdmissionPolicy } from './validation.js';

const checks = new ExpressionChecks<MutatingAdmissionPolicy>();

/** Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go */
export const mutatingAdmissionPolicyStrategy: Strategy<MutatingAdmissionPolicy> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, policy) {
    policy.metadata.generation = 1;
    return prepare(policy, false);
  },
  validate: (_context, policy) =>
    validateMutatingAdmissionPolicy(policy, { ignoreMatchConditions: false, check: checks.of(policy) }),
  prepareForUpdate(_context, policy, old) {
    countSpecChange(policy, old, MutatingAdmissionPolicySpec);
    return prepare(policy, hasStoredMatchConditions(policy.spec, old.spec));
  },
  validateUpdate(_context, policy, old) {
    const ignoreMatchConditions = hasStoredMatchConditions(policy.spec, old.spec);
    return validateMutatingAdmissionPolicy(policy, { ignoreMatchConditions, check: checks.of(policy) });
  },
};

function prepare(policy: MutatingAdmissionPolicy, ignoreMatchConditions: boolean): void | Promise<void> {
  const { spec } = policy;
  const scope = { params: spec.paramKind !== undefined, variables: true };
  return checks.prepare(policy, [...mutatingPolicyExpressions(spec, ignoreMatchConditions)], scope);
}
