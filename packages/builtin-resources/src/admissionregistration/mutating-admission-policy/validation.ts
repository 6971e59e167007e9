import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { trimSpace } from '@apiserver/apimachinery/text';
import { notSupported } from '../../validation/enum-field.js';
import { FAILURE_POLICIES, REINVOCATION_POLICIES, validateRequiredChoice } from '../validation/choices.js';
import type { AdmissionExpression, CheckAt } from '../validation/expression-checks.js';
import { matchExpressions, validateMatchConditions } from '../validation/match-conditions.js';
import { validateMatchConstraints, validateMutatingOperations } from '../validation/match-resources.js';
import { validateMetadata } from '../validation/metadata.js';
import { validateParamKind } from '../validation/params.js';
import { validateVariables, variableExpressions } from '../validation/variables.js';

const SPEC = FieldPath.of('spec');
const MUTATIONS = SPEC.child('mutations');

/** The field of each type of patch. */
const PATCH_FIELDS = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;
const PATCH_TYPES = Object.keys(PATCH_FIELDS);

type PatchType = keyof typeof PATCH_FIELDS;

/** Settings of the validation of a policy. */
export interface MutatingPolicyRules {
  /** True if an update leaves the match conditions and the kind of parameters as they are stored. */
  readonly ignoreMatchConditions: boolean;
  readonly check: CheckAt;
}

/** Upstream: validateMutatingAdmissionPolicy of pkg/apis/admissionregistration/validation/validation.go */
export function validateMutatingAdmissionPolicy(
  policy: MutatingAdmissionPolicy,
  { ignoreMatchConditions, check }: MutatingPolicyRules,
): readonly FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [] } = policy.spec;
  const { mutations = [], reinvocationPolicy } = policy.spec;
  return [
    ...validateMetadata(policy),
    ...validateRequiredChoice(failurePolicy, FAILURE_POLICIES, SPEC.child('failurePolicy')),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, SPEC.child('paramKind'))),
    ...validateMatchConstraints(matchConstraints, SPEC.child('matchConstraints')),
    ...validateMutatingOperations(matchConstraints, SPEC.child('matchConstraints')),
    ...(ignoreMatchConditions ? [] : validateMatchConditions(matchConditions, check, SPEC.child('matchConditions'))),
    ...validateVariables(variables, check, SPEC.child('variables')),
    ...(mutations.length === 0 ? [fieldRequired(MUTATIONS, 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, i) => validateMutation(mutation, check, MUTATIONS.index(i))),
    ...validateRequiredChoice(reinvocationPolicy, REINVOCATION_POLICIES, SPEC.child('reinvocationPolicy')),
  ];
}

/** Upstream: validateMutation */
function validateMutation(mutation: Mutation, check: CheckAt, path: FieldPath): FieldError[] {
  const { patchType } = mutation;
  if (patchType === '') return [fieldRequired(path.child('patchType'), '')];
  if (!isPatchType(patchType)) return [notSupported(path.child('patchType'), patchType, PATCH_TYPES)];
  const field = PATCH_FIELDS[patchType];
  const other = patchType === 'JSONPatch' ? 'applyConfiguration' : 'jsonPatch';
  const mustNot = `must not be specified when patchType is ${patchType}`;
  return [
    ...validatePatch(mutation, patchType, check, path.child(field)),
    ...(mutation[other] === undefined ? [] : [fieldInvalid(path.child(other), `{${other}}`, mustNot)]),
  ];
}

function validatePatch(
  mutation: Mutation,
  patchType: PatchType,
  check: CheckAt,
  path: FieldPath,
): readonly FieldError[] {
  const patch = mutation[PATCH_FIELDS[patchType]];
  if (patch === undefined) return [fieldRequired(path, `must be specified when patchType is ${patchType}`)];
  const expression = path.child('expression');
  return trimSpace(patch.expression ?? '') === '' ? [fieldRequired(expression, '')] : check(expression);
}

function isPatchType(text: string): text is PatchType {
  return Object.hasOwn(PATCH_FIELDS, text);
}

/** The expressions of a policy, in the order in which they are compiled. */
export function* mutatingPolicyExpressions(
  { matchConditions = [], variables = [], mutations = [] }: MutatingAdmissionPolicySpec,
  ignoreMatchConditions: boolean,
): Generator<AdmissionExpression> {
  if (!ignoreMatchConditions) yield* matchExpressions(matchConditions, SPEC.child('matchConditions'));
  yield* variableExpressions(variables, SPEC.child('variables'));
  for (const [i, mutation] of mutations.entries()) {
    const { patchType } = mutation;
    if (!isPatchType(patchType)) continue;
    const purpose = PATCH_FIELDS[patchType];
    const text = trimSpace(mutation[purpose]?.expression ?? '');
    if (text !== '') yield { path: MUTATIONS.index(i).child(purpose).child('expression'), text, purpose };
  }
}
