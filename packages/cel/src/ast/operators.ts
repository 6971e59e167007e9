/** Function names of the operators in the abstract syntax tree. Upstream: github.com/google/cel-go/common/operators */
export const Operator = {
  Conditional: '_?_:_',
  LogicalAnd: '_&&_',
  LogicalOr: '_||_',
  LogicalNot: '!_',
  Equals: '_==_',
  NotEquals: '_!=_',
  Less: '_<_',
  LessEquals: '_<=_',
  Greater: '_>_',
  GreaterEquals: '_>=_',
  Add: '_+_',
  Subtract: '_-_',
  Multiply: '_*_',
  Divide: '_/_',
  Modulo: '_%_',
  Negate: '-_',
  Index: '_[_]',
  OptIndex: '_[?_]',
  OptSelect: '_?._',
  In: '@in',
  NotStrictlyFalse: '@not_strictly_false',
} as const;

const BINARY: Readonly<Record<string, string>> = {
  '==': Operator.Equals,
  '!=': Operator.NotEquals,
  '<': Operator.Less,
  '<=': Operator.LessEquals,
  '>': Operator.Greater,
  '>=': Operator.GreaterEquals,
  '+': Operator.Add,
  '-': Operator.Subtract,
  '*': Operator.Multiply,
  '/': Operator.Divide,
  '%': Operator.Modulo,
  in: Operator.In,
};

/** The function of a binary operator by its spelling in the source. */
export function binaryOperator(spelling: string): string | undefined {
  return BINARY[spelling];
}
