import { configDefaults, defineConfig } from 'vitest/config';
import { base } from './vitest.config.ts';

const { tests, excluded = [] } = JSON.parse(process.env['MUTATION_TARGET'] ?? '{"tests":[]}');

/**
 * The guards then start a server for each test. A hook that runs before all tests of a file covers nothing: only the
 * work of a test and of its own hooks counts.
 */
const serverPerTest = {
  name: 'server-per-test',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.includes('/test/guards/')
      ? code.replaceAll(/\b(before|after)All\b/g, '$1Each').replace(/^import \{(.*)\} from 'vitest';$/m, eachNameOnce)
      : undefined,
};

function eachNameOnce(_: string, names: string): string {
  return `import { ${[...new Set(names.split(',').map((name) => name.trim()))].join(', ')} } from 'vitest';`;
}

/** On a busy machine a test lasts long. Stryker has its own limit for the run of a mutant. */
const TIMEOUT = 600_000;

/** The tests that may kill the mutants of one target. */
export default defineConfig({
  ...base,
  plugins: [serverPerTest],
  test: {
    ...base.test,
    include: tests,
    exclude: [...configDefaults.exclude, ...excluded],
    reporters: [],
    // A process for each test file takes most of the time of a mutant.
    isolate: false,
    testTimeout: TIMEOUT,
    hookTimeout: TIMEOUT,
  },
});
