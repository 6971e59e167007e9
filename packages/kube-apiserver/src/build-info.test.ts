import { expect, it } from 'vitest';
import { buildInfo } from './build-info.js';

it('reads the facts about the build once', () => {
  expect(buildInfo().packageVersion).toMatch(/^\d+\.\d+\.\d+/);
  expect(buildInfo()).toBe(buildInfo());
});
