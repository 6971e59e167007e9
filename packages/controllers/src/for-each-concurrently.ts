/** Items whose work is under way at once. Their writes share commits of the store, and one turn has few of them. */
const MAX_CONCURRENT = 50;

/** Does the work for all items, some at a time. A failure keeps no others; the first one is thrown at the end. */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  concurrent = MAX_CONCURRENT,
): Promise<void> {
  const left = [...items].values();
  const failures: unknown[] = [];
  const run = async () => {
    for (const item of left) await work(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: concurrent }, run));
  if (failures.length > 0) throw failures[0];
}
