import type { FinishHook } from '@apiserver/apiserver-contracts';

type Begun = FinishHook | Promise<FinishHook> | undefined;

/**
 * Runs `work` between a begin hook and its finish, which keeps the changes if the work succeeds and reverts them if it
 * throws. `begin` is undefined for a resource without such a hook.
 */
export function withBeginHook<R>(begin: (() => Begun) | undefined, work: () => Promise<R>): Promise<R> {
  return begin === undefined ? work() : betweenHooks(begin, work);
}

async function betweenHooks<R>(begin: () => Begun, work: () => Promise<R>): Promise<R> {
  const finish = await begin();
  if (finish === undefined) return work();
  let result: R;
  try {
    result = await work();
  } catch (error) {
    await finish(false);
    throw error;
  }
  await finish(true);
  return result;
}
