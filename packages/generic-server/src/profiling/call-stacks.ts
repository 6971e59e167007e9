/** Where a function stands, as V8 tells it. Lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** A stack that was seen, the innermost function first, and what was measured there, in the unit of the profile. */
export interface CallStack {
  readonly frames: readonly CallFrame[];
  readonly values: readonly number[];
}

/** What was measured, and where. Upstream: github.com/google/pprof/proto/profile.proto */
export interface CallStacks {
  /** What each value of a stack is, and its unit. */
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  /** What is between two samples, and its unit. */
  readonly period: { readonly type: string; readonly unit: string; readonly value: number };
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly stacks: readonly CallStack[];
}
