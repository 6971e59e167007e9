import type { Expression } from '../ast/expression.js';
import type { CelType } from '../types/cel-type.js';
import { type Estimate, UNKNOWN } from './estimate.js';
import type { Path } from './path.js';

/** A value that a call takes. */
export interface CostedNode {
  readonly type: CelType;
  readonly path: Path | undefined;
  /** None for the elements of a list that a call takes. */
  readonly expression: Expression | undefined;
  /** The size, if the expression tells it. */
  readonly size: Estimate | undefined;
}

/** A call of one overload, whose cost is estimated. */
export interface CostedCall {
  readonly name: string;
  readonly overload: string;
  readonly target: CostedNode | undefined;
  readonly args: readonly CostedNode[];
  /** The size of a value by its expression or its path. */
  sizeOf(node: CostedNode): Estimate;
}

/** The cost of a call without that of its arguments, and the size of its result if that is known. */
export interface CallEstimate {
  readonly cost: Estimate;
  readonly size?: Estimate;
}

/** Estimates a call; undefined if another rule applies. */
export type CallEstimator = (call: CostedCall) => CallEstimate | undefined;

/** The size of a value that the expression tells. */
export function knownSize(node: CostedNode | undefined): Estimate {
  return node?.size ?? UNKNOWN;
}
