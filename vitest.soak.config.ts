import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/**
 * Long random tests: the files named *.soak.ts, and the packages' own tests again with many more runs for their
 * properties (SOAK_RUNS, 5,000 if not set).
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['packages/*/src/**/*.soak.ts', 'test/**/*.soak.ts', 'packages/*/src/**/*.test.ts'],
    setupFiles: ['scripts/soak-setup.ts'],
    testTimeout: 30 * 60_000,
  },
});
