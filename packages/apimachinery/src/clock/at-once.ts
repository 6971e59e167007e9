/** Does at once what is written in steps, each of which ends with a `yield`: work on large objects makes turns of them. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
