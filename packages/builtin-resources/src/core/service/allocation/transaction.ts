/**
 * What was taken for one write. Exactly one of the two is called: `commit` once the write is done, which gives back what
 * the old object held and the new one does not; `revert` when it failed, which gives back what was taken.
 * Upstream: pkg/registry/core/service/storage/transaction.go
 */
export interface Transaction {
  commit(): Promise<void>;
  revert(): Promise<void>;
}

/** Several as one. When taking the next one fails, those before it are reverted. */
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

/** Does the same to each; what fails keeps the others from nothing. Throws what failed first, when all are done. */
export async function forAll<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Answers the error that is to be thrown: a client is told why its write failed, not what could not be given back. */
export async function afterReverting(error: unknown, revert: () => Promise<void>): Promise<unknown> {
  // The repair loops give back what stays behind.
  await revert().catch(() => {});
  return error;
}
