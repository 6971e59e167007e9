import { Operator } from '../ast/operators.js';
import { Token } from './token.js';

/** The functions of the operators of each precedence, by their tokens. */
export const RELATIONS: ReadonlyMap<number, string> = new Map<number, string>([
  [Token.Equals, Operator.Equals],
  [Token.NotEquals, Operator.NotEquals],
  [Token.Less, Operator.Less],
  [Token.LessEquals, Operator.LessEquals],
  [Token.Greater, Operator.Greater],
  [Token.GreaterEquals, Operator.GreaterEquals],
  [Token.In, Operator.In],
]);
export const SUMS: ReadonlyMap<number, string> = new Map<number, string>([
  [Token.Plus, Operator.Add],
  [Token.Minus, Operator.Subtract],
]);
export const PRODUCTS: ReadonlyMap<number, string> = new Map<number, string>([
  [Token.Star, Operator.Multiply],
  [Token.Slash, Operator.Divide],
  [Token.Percent, Operator.Modulo],
]);
