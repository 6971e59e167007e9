import {
  AuditAnnotation,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
  type Validation,
} from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath, fieldDuplicate, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { trimSpace } from '@apiserver/apimachinery/text';
import { byteLength } from '@apiserver/apimachinery/validation';
import { validateQualifiedName } from '../../core/validation/dns-fields.js';
import { goForm } from '../../text/go-form.js';
import { FAILURE_POLICIES, validateChoice, validateRequiredChoice } from '../validation/choices.js';
import { type AdmissionExpression, type CheckAt, isBlank } from '../validation/expression-checks.js';
import { matchExpressions, validateMatchConditions } from '../validation/match-conditions.js';
import { validateMatchConstraints } from '../validation/match-resources.js';
import { validateMetadata } from '../validation/metadata.js';
import { validateParamKind } from '../validation/params.js';
import { validateVariables, variableExpressions } from '../validation/variables.js';

const SPEC = FieldPath.of('spec');
const VALIDATIONS = SPEC.child('validations');
const ANNOTATIONS = SPEC.child('auditAnnotations');

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;

/** Settings of the validation of a policy. */
export interface PolicyRules {
  /** True if an update leaves the match conditions and the kind of parameters as they are stored. */
  readonly ignoreMatchConditions: boolean;
  readonly check: CheckAt;
}

/** Upstream: validateValidatingAdmissionPolicy of pkg/apis/admissionregistration/validation/validation.go */
export function validateValidatingAdmissionPolicy(
  policy: ValidatingAdmissionPolicy,
  { ignoreMatchConditions, check }: PolicyRules,
): readonly FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [] } = policy.spec;
  return [
    ...validateMetadata(policy),
    ...validateRequiredChoice(failurePolicy, FAILURE_POLICIES, SPEC.child('failurePolicy')),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, SPEC.child('paramKind'))),
    ...validateMatchConstraints(matchConstraints, SPEC.child('matchConstraints')),
    ...(ignoreMatchConditions ? [] : validateMatchConditions(matchConditions, check, SPEC.child('matchConditions'))),
    ...validateVariables(variables, check, SPEC.child('variables')),
    ...validateRules(policy, check),
  ];
}

function validateRules({ metadata, spec }: ValidatingAdmissionPolicy, check: CheckAt): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [fieldRequired(VALIDATIONS, detail), fieldRequired(ANNOTATIONS, detail)];
  }
  return [
    ...validations.flatMap((validation, i) => validateValidation(validation, check, VALIDATIONS.index(i))),
    ...validateAnnotations(auditAnnotations, metadata.name ?? '', check),
  ];
}

/** Upstream: validateValidation */
function validateValidation(validation: Validation, check: CheckAt, path: FieldPath): FieldError[] {
  const { expression, message = '', messageExpression = '', reason } = validation;
  const at = { message: path.child('message'), messageExpression: path.child('messageExpression') };
  const isBlankMessage = message !== '' && isBlank(message);
  return [
    ...(isBlank(expression)
      ? [fieldRequired(path.child('expression'), 'expression is not specified')]
      : check(path.child('expression'))),
    ...(messageExpression !== '' && isBlank(messageExpression)
      ? [fieldInvalid(at.messageExpression, messageExpression, 'must be non-empty if specified')]
      : check(at.messageExpression)),
    ...(isBlankMessage ? [fieldInvalid(at.message, message, 'must be non-empty if specified')] : []),
    ...(/[\n\r]/.test(trimSpace(message)) ? [fieldInvalid(at.message, message, 'must not contain line breaks')] : []),
    ...validateChoice(reason, REASONS, path.child('reason')),
  ];
}

function validateAnnotations(annotations: readonly AuditAnnotation[], name: string, check: CheckAt): FieldError[] {
  const known = new Set<string>();
  const detail = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
  // Upstream prints its internal type.
  const shown = () => annotations.map((annotation) => goForm(AuditAnnotation, annotation));
  return [
    ...(annotations.length > MAX_ANNOTATIONS ? [fieldInvalid(ANNOTATIONS, shown(), detail)] : []),
    ...annotations.flatMap((annotation, i) => {
      const isDuplicate = known.has(annotation.key);
      known.add(annotation.key);
      return [
        ...validateAnnotation(annotation, name, check, ANNOTATIONS.index(i)),
        ...(isDuplicate ? [fieldDuplicate(ANNOTATIONS.index(i).child('key'), annotation.key)] : []),
      ];
    }),
  ];
}

/** Upstream: validateAuditAnnotation */
function validateAnnotation(
  { key, valueExpression }: AuditAnnotation,
  name: string,
  check: CheckAt,
  path: FieldPath,
): FieldError[] {
  return [
    ...(name === ''
      ? [fieldInvalid(path.child('key'), key, 'requires metadata.name be non-empty')]
      : validateQualifiedName(`${name}/${key}`, path.child('key'))),
    ...validateValueExpression(trimSpace(valueExpression), check, path.child('valueExpression')),
  ];
}

function validateValueExpression(text: string, check: CheckAt, path: FieldPath): readonly FieldError[] {
  if (text === '') return [fieldRequired(path, 'valueExpression is not specified')];
  if (byteLength(text) <= MAX_VALUE_EXPRESSION_BYTES) return check(path);
  return [fieldRequired(path, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`)];
}

/** The expressions of a policy, in the order in which they are compiled. */
export function* policyExpressions(
  spec: ValidatingAdmissionPolicySpec,
  ignoreMatchConditions: boolean,
): Generator<AdmissionExpression> {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [] } = spec;
  if (!ignoreMatchConditions) yield* matchExpressions(matchConditions, SPEC.child('matchConditions'));
  yield* variableExpressions(variables, SPEC.child('variables'));
  for (const [i, { expression, messageExpression = '' }] of validations.entries()) {
    const path = VALIDATIONS.index(i);
    if (!isBlank(expression)) yield { path: path.child('expression'), text: expression, purpose: 'condition' };
    if (!isBlank(messageExpression)) {
      yield { path: path.child('messageExpression'), text: messageExpression, purpose: 'message' };
    }
  }
  for (const [i, { valueExpression }] of auditAnnotations.entries()) {
    const text = trimSpace(valueExpression);
    if (text === '' || byteLength(text) > MAX_VALUE_EXPRESSION_BYTES) continue;
    const path = ANNOTATIONS.index(i).child('valueExpression');
    yield { path, text, purpose: 'auditAnnotation', shown: valueExpression };
  }
}
