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
      'examples/envtest/operator/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    pool: 'forks',
    // A busy machine may take long. A poll may wait nearly as long as its test may last.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
