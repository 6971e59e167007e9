/**
 * The result of the promise, or a rejection with the signal's reason once it aborts. The promise is not cancelled: a
 * late result is passed to `tooLate`, and a late failure is ignored.
 */
export async function untilAborted<R>(
  promise: Promise<R>,
  signal: AbortSignal,
  tooLate: (result: R) => void = () => {},
): Promise<R> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted.promise, promise]);
  } catch (error) {
    if (signal.aborted) promise.then(tooLate, () => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
