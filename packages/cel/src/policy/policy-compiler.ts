import { atOnce } from '@apiserver/apimachinery/clock';
import { type CheckedExpression, checkExpression } from '../check/check-expression.js';
import type { Functions } from '../check/declarations.js';
import type { CheckEnvironment } from '../check/environment.js';
import { validateLiterals } from '../check/validate-literals.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { kubernetesImplementations } from '../evaluate/kubernetes-implementations.js';
import { compileProgram, type Program } from '../evaluate/program.js';
import { type DeclType, declTypeProvider, structDecl } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { admissionRequestType, namespaceObjectType } from '../kubernetes/policy-types.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { BOOL, type CelType, DYN, isSameType, listOf, NULL, STRING, structOf, typeString } from '../types/cel-type.js';
import type { TypeProvider } from '../types/type-provider.js';
import type { Implementations } from '../values/implementation.js';
import { EvaluationError } from '../values/value.js';
import { declareMutationFunctions, MUTATION_IMPLEMENTATIONS, mutationConstructor, mutationTypes } from './mutation.js';
import { variableType } from './variable-type.js';

/** The variables of admission expressions, in the order of their bindings. */
export const POLICY_BINDINGS = [
  'object',
  'oldObject',
  'params',
  'request',
  'namespaceObject',
  'authorizer',
  'authorizer.requestResource',
  'variables',
] as const;

/** The type of `variables`. */
export const VARIABLES_TYPE: CelType = structOf('kubernetes.variables');

/** The field that an expression is written in. It decides the types of the result, and what the expression may use. */
export type ExpressionPurpose =
  | 'condition'
  | 'message'
  | 'auditAnnotation'
  | 'variable'
  | 'applyConfiguration'
  | 'jsonPatch';

/** The types that the result may have; undefined for all. */
const RESULTS: Readonly<Record<ExpressionPurpose, readonly CelType[] | undefined>> = {
  condition: [BOOL],
  message: [STRING],
  auditAnnotation: [STRING, NULL],
  variable: undefined,
  applyConfiguration: [structOf('Object')],
  jsonPatch: [listOf(structOf('JSONPatch'))],
};

/** A compiled expression. Evaluate the program with values in the order of POLICY_BINDINGS. */
export type PolicyExpression = { readonly program: Program; readonly checked: CheckedExpression } | PolicyFault;

/** The reason why an expression is wrong. */
export interface PolicyFault {
  readonly error: string;
  /** True for a failure that is not the author's fault. */
  readonly isInternal: boolean;
}

/** The variables that differ between policies. */
export interface PolicyDeclarations {
  /** True if the policy has a kind of parameters. */
  readonly params: boolean;
  /** True if expressions may read `variables`. */
  readonly variables: boolean;
  /** The type of `object` and `oldObject`; undefined for dyn. */
  readonly objectType?: DeclType;
  /** The type of `params`; undefined for dyn. */
  readonly paramsType?: DeclType;
  /**
   * True for the check of types by `check` and `declareTyped`: all expressions may use the authorizer, but not its
   * requestResource. Upstream: buildEnvSet in k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go
   */
  readonly typesOnly?: boolean;
}

/**
 * Compiles the expressions of one policy or one webhook: conditions, messages, audit annotations, mutations. Declare
 * its variables in their order: each sees those before it, and expressions see the variables declared so far.
 *
 * Upstream: CompileCELExpression and CompositedCompiler in k8s.io/apiserver/pkg/admission/plugin/cel
 */
export class PolicyCompiler {
  readonly #declared: PolicyDeclarations;
  /** The types of variables. None of them is a struct. */
  readonly #fields = new Map<string, DeclType>();
  readonly #shared: SharedEnvironment;
  /** Made once: it knows each variable from its declaration on. */
  readonly #types: TypeProvider;

  constructor(shared: SharedEnvironment, declared: PolicyDeclarations) {
    this.#shared = shared;
    this.#declared = declared;
    const { objectType, paramsType, variables } = declared;
    const roots = [objectType, paramsType, variables ? structDecl(VARIABLES_TYPE.name, this.#fields) : undefined];
    const given = roots.filter((type) => type !== undefined);
    this.#types = declTypeProvider(shared.request, shared.namespaceObject, ...given);
  }

  /**
   * Compiles a variable. A wrong variable is declared too: the expressions that read it fail when they are evaluated.
   */
  declareVariable(name: string, expression: string): PolicyExpression {
    return atOnce(this.declareVariableSteps(name, expression));
  }

  /** The same in steps, for a caller that gives others their turns. */
  *declareVariableSteps(name: string, expression: string): Generator<void, PolicyExpression> {
    const compiled = yield* this.compileSteps(expression, 'variable');
    this.#declare(name, 'error' in compiled ? DYN : compiled.checked.resultType);
    return compiled;
  }

  /** Declares a variable by its type, without making a program. A wrong variable may have any type. */
  declareTyped(name: string, expression: string): void {
    const checked = this.check(expression, 'variable');
    this.#declare(name, checked instanceof ExpressionErrors ? DYN : checked.resultType);
  }

  compile(expression: string, purpose: ExpressionPurpose): PolicyExpression {
    return atOnce(this.compileSteps(expression, purpose));
  }

  /** The same in steps, for a caller that gives others their turns. */
  *compileSteps(expression: string, purpose: ExpressionPurpose): Generator<void, PolicyExpression> {
    const checked = yield* this.#checkSteps(expression, purpose);
    yield;
    if (checked instanceof ExpressionErrors) return fault(`compilation failed: ${checked}`);
    const results = RESULTS[purpose];
    if (results?.every((result) => !isSameType(checked.resultType, result))) {
      const [only] = results;
      const expected =
        results.length === 1 && only !== undefined ? typeString(only) : `one of [${results.map(typeString).join(' ')}]`;
      return fault(`must evaluate to ${expected} but got ${typeString(checked.resultType)}`);
    }
    const program = compileProgram(checked, {
      functions: this.#shared.implementations,
      variables: POLICY_BINDINGS,
      rereadsJson: true,
      structs: mutationConstructor,
    });
    if (!(program instanceof EvaluationError)) return { program, checked };
    return { error: `program instantiation failed: ${program.message}`, isInternal: true };
  }

  /** Finds the types of an expression, of whatever type it is. */
  check(expression: string, purpose: ExpressionPurpose): CheckedExpression | ExpressionErrors {
    return atOnce(this.#checkSteps(expression, purpose));
  }

  *#checkSteps(expression: string, purpose: ExpressionPurpose): Generator<void, CheckedExpression | ExpressionErrors> {
    const parsed = parseExpression(expression, KUBERNETES_SYNTAX);
    if (parsed instanceof ExpressionErrors) return parsed;
    yield;
    const checked = checkExpression(parsed, this.#environment(purpose));
    return checked instanceof ExpressionErrors ? checked : (validateLiterals(checked) ?? checked);
  }

  #declare(name: string, type: CelType): void {
    this.#fields.set(name, variableType(type));
  }

  #environment(purpose: ExpressionPurpose): CheckEnvironment {
    const [shared, types] = [this.#shared, this.#types];
    const patches = purpose === 'applyConfiguration' || purpose === 'jsonPatch';
    return {
      functions: patches ? shared.mutationFunctions : shared.functions,
      variables: this.#variables(purpose),
      types: patches ? mutationTypes(types) : types,
    };
  }

  #variables(purpose: ExpressionPurpose): ReadonlyMap<string, CelType> {
    const { params, variables, objectType, paramsType, typesOnly = false } = this.#declared;
    const object = objectType?.type ?? DYN;
    const declared = new Map<string, CelType>([
      ['object', object],
      ['oldObject', object],
      ['request', this.#shared.request.type],
      ['namespaceObject', this.#shared.namespaceObject.type],
    ]);
    if (params) declared.set('params', paramsType?.type ?? DYN);
    if (variables) declared.set('variables', VARIABLES_TYPE);
    if (purpose === 'message' && !typesOnly) return declared;
    declared.set('authorizer', structOf('kubernetes.authorization.Authorizer'));
    if (typesOnly) return declared;
    return declared.set('authorizer.requestResource', structOf('kubernetes.authorization.ResourceCheck'));
  }
}

/** The parts of environments that all policies share. Make it once. */
export class SharedEnvironment {
  readonly functions: Functions = declareKubernetesFunctions();
  readonly mutationFunctions: Functions = new Map([...this.functions, ...declareMutationFunctions()]);
  readonly implementations: Implementations = { ...kubernetesImplementations(), ...MUTATION_IMPLEMENTATIONS };
  readonly request = admissionRequestType();
  readonly namespaceObject = namespaceObjectType();
}

function fault(error: string): PolicyFault {
  return { error, isInternal: false };
}
