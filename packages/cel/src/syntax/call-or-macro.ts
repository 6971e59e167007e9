import type { Expression } from '../ast/expression.js';
import { type ExpressionBuilder, MacroBuilder } from './expression-builder.js';
import { MacroError, type Macros, macroKey } from './macros.js';

/** A call as the source has it. */
export interface WrittenCall {
  readonly offset: number;
  readonly name: string;
  readonly args: readonly Expression[];
  /** Undefined for a call of a function. */
  readonly target: Expression | undefined;
}

/** The node of a call, or the expansion of the macro that it calls; the MacroError of one that refuses its arguments. */
export function callOrMacro(
  builder: ExpressionBuilder,
  macros: Macros,
  { offset, name, args, target }: WrittenCall,
): Expression | MacroError {
  const expand = macros.get(macroKey(name, args.length, target === undefined ? 'function' : 'method'));
  if (expand !== undefined) {
    try {
      const receiver = target ?? { kind: 'unspecified', id: builder.id(offset) };
      const expanded = expand(new MacroBuilder(builder, offset), receiver, args);
      if (expanded !== undefined) return expanded;
    } catch (error) {
      if (error instanceof MacroError) return error;
      throw error;
    }
  }
  const call = builder.call(offset, name, args);
  return target === undefined ? call : { ...call, target };
}
