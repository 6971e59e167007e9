import { defineConfig } from 'vitest/config';

/** With this condition a package resolves to its src/, so that tests need no build. */
const conditions = ['@apiserver/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'examples/*/src/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    pool: 'forks',
    // A machine that does other things as well may take long. Who waits for something waits as long as its test may take.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
