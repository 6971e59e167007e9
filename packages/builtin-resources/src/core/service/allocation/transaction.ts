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
  const revert = async () => {
    for (const transaction of done) await transaction.revert();
  };
  for (const step of steps) {
    try {
      done.push(await step());
    } catch (error) {
      await revert();
      throw error;
    }
  }
  return {
    revert,
    async commit() {
      for (const transaction of done) await transaction.commit();
    },
  };
}
