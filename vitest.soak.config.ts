import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** What `npm run soak` runs file by file: long random tests (*.soak.ts), and the packages' own tests for their properties. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['packages/*/src/**/*.soak.ts', 'test/**/*.soak.ts', 'packages/*/src/**/*.test.ts'],
    setupFiles: ['scripts/soak-setup.ts'],
    testTimeout: 60 * 60_000,
  },
});
