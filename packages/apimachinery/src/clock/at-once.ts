/**
 * Runs all steps of a generator at once. Each step ends with a `yield`, so that work on large objects can span event
 * loop turns.
 */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
