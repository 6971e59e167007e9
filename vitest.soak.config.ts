import { defineConfig } from 'vitest/config';
import { base } from './vitest.config.ts';

/** Files of `npm run soak`: long random tests (*.soak.ts), and property tests of the packages. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['packages/*/src/**/*.soak.ts', 'test/**/*.soak.ts', 'packages/*/src/**/*.test.ts'],
    setupFiles: ['scripts/soak-setup.ts'],
    testTimeout: 60 * 60_000,
  },
});
