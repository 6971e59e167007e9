import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * With the first condition a package resolves to its src/, so that tests need no build. Vitest gives them to Node, too,
 * which knows itself whether a module is imported or required.
 */
const conditions = ['@apiserver/source', 'node'];

/** Common options of all runs of vitest. */
export const base = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: 'forks' as const,
    // Vitest's default leaves one core free: of two, half of the machine.
    maxWorkers: availableParallelism(),
    // A busy machine may take long. A poll may wait nearly as long as its test may last.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
};

/**
 * Tests beside the code. They share processes, because a new one for each file loads the same modules a thousand times.
 */
const units = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'];

const installed = '**/node_modules/**';

/**
 * A mock has to come before the module that it replaces is loaded, and a WorkCounter before the code that it counts
 * runs. Optimised code keeps objects that a test of collections expects to be gone.
 */
const needsOwnProcess = /\bvi\.(mock|doMock)\(|\bnew WorkCounter\(|\bsetFlagsFromString\(/;

const alone = globSync(units, { cwd: import.meta.dirname, exclude: [installed] }).filter((path) =>
  needsOwnProcess.test(readFileSync(`${import.meta.dirname}/${path}`, 'utf8')),
);

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      { extends: true, test: { name: 'units', include: units, exclude: [installed, ...alone], isolate: false } },
      {
        extends: true,
        test: {
          name: 'files',
          include: [
            ...alone,
            'examples/*/src/**/*.test.ts',
            'examples/envtest/operator/*.test.ts',
            'test/**/*.test.ts',
          ],
        },
      },
    ],
  },
});
