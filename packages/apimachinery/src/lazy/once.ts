/**
 * A function that calls `make` the first time, and returns that result every time. A call that throws does not count,
 * nor does one whose promise is rejected.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    if (made !== undefined) return made.value;
    const making = { value: make() };
    made = making;
    if (making.value instanceof Promise) {
      making.value.catch(() => {
        made = undefined;
      });
    }
    return making.value;
  };
}
