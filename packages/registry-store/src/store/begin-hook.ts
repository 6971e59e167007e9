import type { FinishHook } from '@apiserver/apiserver-contracts';

/**
 * Runs `work` between a begin hook and its finish: kept when the work is done, taken back when it throws.
 * `begin` answers undefined where the resource has no such hook.
 */
export async function withBeginHook<R>(
  begin: () => FinishHook | Promise<FinishHook> | undefined,
  work: () => Promise<R>,
): Promise<R> {
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
