/** Calls back in the same event loop turn, after all promises that can settle now have run their callbacks. */
export function afterPromises(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
