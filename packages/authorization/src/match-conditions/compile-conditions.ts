import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInternal,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { accessReviewType, BOOL, ExpressionCompiler, type Program, selectedFields } from '@apiserver/cel';

/** Most conditions of one webhook. Upstream: compileMatchConditions */
const MAX_CONDITIONS = 64;

/** A condition that compiles. */
interface CompiledCondition {
  readonly text: string;
  readonly program: Program;
}

/** The conditions of one webhook. */
export interface CompiledConditions {
  readonly conditions: readonly CompiledCondition[];
  /** True if a condition reads the field selector of a request. */
  readonly usesFieldSelector: boolean;
  readonly usesLabelSelector: boolean;
}

/** Compiled conditions, and the errors of the others. */
export interface ConditionsOutcome extends CompiledConditions {
  readonly errors: readonly FieldError[];
}

/** Compiles conditions on `request`, a SubjectAccessReviewSpec. Upstream: NewDefaultCompiler */
export function conditionCompiler(): ExpressionCompiler {
  return new ExpressionCompiler(new Map([['request', accessReviewType()]]));
}

/**
 * Compiles the match conditions of a webhook.
 * Upstream: compileMatchConditions of k8s.io/apiserver/pkg/apis/apiserver/validation
 */
export function compileConditions(
  expressions: readonly string[],
  compiler: ExpressionCompiler,
  path: FieldPath = FieldPath.none,
): ConditionsOutcome {
  const none = { conditions: [], usesFieldSelector: false, usesLabelSelector: false };
  const list = path.child('matchConditions');
  if (expressions.length > MAX_CONDITIONS) {
    return { ...none, errors: [fieldTooMany(list, expressions.length, MAX_CONDITIONS)] };
  }
  const conditions: CompiledCondition[] = [];
  const fields = new Set<string>();
  const errors: FieldError[] = [];
  for (const [i, text] of expressions.entries()) {
    const at = list.index(i).child('expression');
    if (text.trim() === '' || expressions.indexOf(text) < i) {
      errors.push(text.trim() === '' ? fieldRequired(at, '') : fieldDuplicate(at, text));
      continue;
    }
    const compiled = compiler.compile(text, [BOOL]);
    if ('error' in compiled) {
      const { error, isInternal } = compiled;
      errors.push(isInternal ? fieldInternal(at, new Error(error)) : fieldInvalid(at, text, error));
      continue;
    }
    conditions.push({ text, program: compiled.program });
    for (const field of selectedFields(compiled.checked.root)) fields.add(field);
  }
  const usesFieldSelector = fields.has('fieldSelector');
  return { conditions, usesFieldSelector, usesLabelSelector: fields.has('labelSelector'), errors };
}
