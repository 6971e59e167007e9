export type { Expression } from './ast/expression.js';
export { type CheckedExpression, checkExpression, type Reference } from './check/check-expression.js';
export type { Functions, Overload } from './check/declarations.js';
export type { CheckEnvironment } from './check/environment.js';
export { validateLiterals } from './check/validate-literals.js';
export { declareKubernetesFunctions } from './declarations/kubernetes-functions.js';
export { type DeclType, declTypeProvider, nameTypes, structDecl } from './kubernetes/decl-type.js';
export { admissionRequestType, namespaceObjectType } from './kubernetes/policy-types.js';
export { type CelSchema, schemaDeclType } from './kubernetes/schema-decl-type.js';
export {
  LIST_MACROS,
  type Macros,
  OPTIONAL_MACROS,
  STANDARD_MACROS,
  TWO_VARIABLE_MACROS,
} from './syntax/macros.js';
export { type ParsedExpression, parseExpression } from './syntax/parse-expression.js';
export { ExpressionErrors } from './syntax/source.js';
export type { SyntaxOptions } from './syntax/syntax-options.js';
export { type CelType, formatType, typeString } from './types/cel-type.js';
export { NO_TYPES, type TypeProvider } from './types/type-provider.js';
