export type { Expression } from './ast/expression.js';
export { type CheckedExpression, checkExpression, type Reference } from './check/check-expression.js';
export type { Functions, Overload } from './check/declarations.js';
export { childrenOf } from './check/descendants.js';
export type { CheckEnvironment } from './check/environment.js';
export { validateLiterals } from './check/validate-literals.js';
export { accessReviewType } from './compile/access-review-type.js';
export { type CompiledExpression, ExpressionCompiler, type ExpressionFault } from './compile/expression-compiler.js';
export { parseAndCheck } from './compile/parse-and-check.js';
export { selectedFields } from './compile/selected-fields.js';
export type { Amount } from './cost/amount.js';
export { declTypeSizes, type SizeEstimator, UNKNOWN_SIZES } from './cost/decl-type-sizes.js';
export type { Estimate } from './cost/estimate.js';
export { estimateCost } from './cost/estimate-cost.js';
export { declareKubernetesFunctions } from './declarations/kubernetes-functions.js';
export type { DeviceFeatures } from './devices/device-type.js';
export { type CompiledSelector, SelectorCompiler } from './devices/selector-compiler.js';
export { kubernetesImplementations } from './evaluate/kubernetes-implementations.js';
export { MAX_CALL_COST } from './evaluate/max-call-cost.js';
export { compileProgram, type Evaluation, Program } from './evaluate/program.js';
export type { ProgramEnvironment } from './evaluate/program-environment.js';
export { type DeclType, declTypeProvider, nameTypes } from './kubernetes/decl-type.js';
export { escapeField } from './kubernetes/escape-field.js';
export { KUBERNETES_SYNTAX } from './kubernetes/kubernetes-syntax.js';
export { admissionRequestType, claimsType, namespaceObjectType, userInfoType } from './kubernetes/policy-types.js';
export { type CelSchema, schemaDeclType } from './kubernetes/schema-decl-type.js';
export { unescapeField } from './kubernetes/unescape-field.js';
export {
  type AuthorizationCheck,
  AuthorizationDecisions,
  type CheckDecision,
  type CheckedResource,
  type CheckedSelector,
  type ServiceAccount,
} from './libraries/authorizer/decisions.js';
export { AuthorizerValue, ResourceCheck } from './libraries/authorizer/values.js';
export { trimText } from './libraries/strings/trim-text.js';
export { configurationJson } from './policy/configuration-json.js';
export { LazyObject } from './policy/lazy-object.js';
export { mutationConstructor, mutationTypes } from './policy/mutation.js';
export { misplacedTypes, patchJson } from './policy/patch-json.js';
export {
  type ExpressionPurpose,
  POLICY_BINDINGS,
  PolicyCompiler,
  type PolicyDeclarations,
  type PolicyExpression,
  type PolicyFault,
  SharedEnvironment,
  VARIABLES_TYPE,
} from './policy/policy-compiler.js';
export { isTooLarge } from './policy/value-bounds.js';
export { type Macros, STANDARD_MACROS } from './syntax/macros.js';
export { type ParsedExpression, parseExpression } from './syntax/parse-expression.js';
export { ExpressionErrors } from './syntax/source.js';
export type { SyntaxOptions } from './syntax/syntax-options.js';
export { BOOL, type CelType, optionalOf } from './types/cel-type.js';
export type { TypeProvider } from './types/type-provider.js';
export { COST_LIMIT_EXCEEDED } from './values/errors.js';
export { type Implementation, type Implementations, implement } from './values/implementation.js';
export { LazyMap } from './values/lazy-map.js';
export { MadeObject } from './values/made-object.js';
export { Double, type Int, Uint } from './values/number.js';
export type { StructConstructor } from './values/struct-constructor.js';
export {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  type Result,
  Timestamp,
  TypeValue,
  type Value,
} from './values/value.js';
export { dynView } from './views/dyn-view.js';
export { jsonView } from './views/json-view.js';
