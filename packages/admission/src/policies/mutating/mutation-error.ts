/** A mutation that failed. The message is part of the refusal. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}

/** The message about a value that would make an object of any size. */
export const TOO_LARGE = 'the value of the expression is too large for an object';
