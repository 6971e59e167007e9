/**
 * The allocations of one write. Exactly one method is called. After success, `commit` releases values of the old
 * object that the new one lacks. After a failure, `revert` releases the new allocations.
 * Upstream: pkg/registry/core/service/storage/transaction.go
 */
export interface Transaction {
  commit(): Promise<void>;
  revert(): Promise<void>;
}

/** Combines several. If one step fails, the earlier ones are reverted. */
export async function transactions(steps: readonly (() => Promise<Transaction>)[]): Promise<Transaction> {
  const done: Transaction[] = [];
  const revert = () => forAll(done, (transaction) => transaction.revert());
  for (const step of steps) {
    try {
      done.push(await step());
    } catch (error) {
      throw await afterReverting(error, revert);
    }
  }
  return { revert, commit: () => forAll(done, (transaction) => transaction.commit()) };
}

/** Runs the function for each item, even after failures. Throws the first failure when all are complete. */
export async function forAll<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Returns the error to throw: the failure of the write takes precedence over that of a release. */
export async function afterReverting(error: unknown, revert: () => Promise<void>): Promise<unknown> {
  // The repair loops release the rest.
  await revert().catch(() => {});
  return error;
}
