/** A mutation that failed. The message is part of the refusal. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}
