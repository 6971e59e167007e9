import { TimeSlice } from '@apiserver/apimachinery/clock';

/** Runs steps that end with `yield`, as many in each event loop turn as the time slice allows. */
export async function takeTurns<T>(steps: Generator<void, T>): Promise<T> {
  const slice = new TimeSlice();
  // The caller has used its turn.
  await slice.yield();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.over) await slice.yield();
  }
}
