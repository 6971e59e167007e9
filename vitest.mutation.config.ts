import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { tests, excluded = [] } = JSON.parse(process.env['MUTATION_TARGET'] ?? '{"tests":[]}');

/** The tests that may kill the mutants of one target. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: tests, exclude: [...configDefaults.exclude, ...excluded], reporters: [] },
});
