export type { Expression } from './ast/expression.js';
export { type Macros, OPTIONAL_MACROS, STANDARD_MACROS, TWO_VARIABLE_MACROS } from './syntax/macros.js';
export { type ParsedExpression, parseExpression } from './syntax/parse-expression.js';
export { ExpressionErrors } from './syntax/source.js';
export type { SyntaxOptions } from './syntax/syntax-options.js';
