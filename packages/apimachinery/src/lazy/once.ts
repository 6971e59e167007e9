/** A function that calls `make` the first time, and returns that result every time. A call that throws does not count. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
