import type { FinishHook } from '@apiserver/apiserver-contracts';

type Begin = () => FinishHook | Promise<FinishHook>;

/**
 * Runs `work` between a begin hook and its finish, which keeps the changes if the work succeeds and reverts them if it
 * throws. `begin` is undefined for a resource without such a hook.
 */
export function withBeginHook<R>(begin: Begin | undefined, work: () => Promise<R>): Promise<R> {
  return begin === undefined ? work() : betweenHooks(begin, work);
}

async function betweenHooks<R>(begin: Begin, work: () => Promise<R>): Promise<R> {
  const finish = await begin();
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
