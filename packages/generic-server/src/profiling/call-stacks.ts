/** The place of a function, as V8 reports it. Lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** A sampled stack, the innermost function first, and its values in the unit of the profile. */
export interface CallStack {
  readonly frames: readonly CallFrame[];
  readonly values: readonly number[];
}

/** The stacks of a profile. Upstream: github.com/google/pprof/proto/profile.proto */
export interface CallStacks {
  /** The type of each value of a stack, and its unit. */
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  /** The sampling period, and its unit. */
  readonly period: { readonly type: string; readonly unit: string; readonly value: number };
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly stacks: readonly CallStack[];
}
