import { expect, it } from 'vitest';
import { churn, violations } from './churn.ts';

const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 32);

it(`watches keep their guarantees over restarts and compactions (SOAK_SEED=${seed})`, {
  timeout: 180_000,
}, async () => {
  const histories = await churn({ seed, milliseconds: 6_000, restarts: 2, compactionMs: 1_500 });
  for (const [resource, { acknowledged, segments }] of histories) {
    const frames = segments.flatMap((segment) => segment.frames);
    const found = {
      resource,
      writes: acknowledged.length >= 100,
      resumed: segments.some(({ start, frames }) => start !== 'initial' && frames.length > 0),
      deleted: frames.some(({ type }) => type === 'DELETED'),
      initial: frames.some((frame) => frame.type === 'BOOKMARK' && frame.endsInitial),
    };
    expect(found).toEqual({ resource, writes: true, resumed: true, deleted: true, initial: true });
  }
  expect(violations(histories).slice(0, 20), `SOAK_SEED=${seed}`).toEqual([]);
});
