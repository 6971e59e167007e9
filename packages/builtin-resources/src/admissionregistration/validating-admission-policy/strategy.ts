import { type ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec } from '@apiserver/api/admissionregistration/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange, restoreForStatus } from '@apiserver/resource-kit';
import { hasStoredMatchConditions } from '../strategy/stored-conditions.js';
import { ExpressionChecks } from '../validation/expression-checks.js';
import { validatePolicyStatus } from './status-validation.js';
import { policyExpressions, validateValidatingAdmissionPolicy } from './validation.js';

const checks = new ExpressionChecks<ValidatingAdmissionPolicy>();

/** Upstream: pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go */
export const validatingAdmissionPolicyStrategy: Strategy<ValidatingAdmissionPolicy> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: ['status'],
  prepareForCreate(_context, policy) {
    policy.status = {};
    policy.metadata.generation = 1;
    return prepare(policy, false);
  },
  validate: (_context, policy) =>
    validateValidatingAdmissionPolicy(policy, { ignoreMatchConditions: false, check: checks.of(policy) }),
  prepareForUpdate(_context, policy, old) {
    policy.status = cloneJson(old.status);
    countSpecChange(policy, old, ValidatingAdmissionPolicySpec);
    return prepare(policy, hasStoredMatchConditions(policy.spec, old.spec));
  },
  validateUpdate(_context, policy, old) {
    const ignoreMatchConditions = hasStoredMatchConditions(policy.spec, old.spec);
    return validateValidatingAdmissionPolicy(policy, { ignoreMatchConditions, check: checks.of(policy) });
  },
};

/** Strategy of the status endpoint. */
export const validatingAdmissionPolicyStatusStrategy: Strategy<ValidatingAdmissionPolicy> = {
  ...validatingAdmissionPolicyStrategy,
  resetFields: ['spec', 'metadata'],
  prepareForUpdate: (_context, policy, old) => restoreForStatus(policy, old),
  validateUpdate: (_context, { status }) => validatePolicyStatus(status),
};

function prepare(policy: ValidatingAdmissionPolicy, ignoreMatchConditions: boolean): void | Promise<void> {
  const { spec } = policy;
  const scope = { params: spec.paramKind !== undefined, variables: (spec.variables ?? []).length > 0 };
  return checks.prepare(policy, [...policyExpressions(spec, ignoreMatchConditions)], scope);
}
