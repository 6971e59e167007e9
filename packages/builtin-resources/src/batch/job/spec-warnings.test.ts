import type { JobSpec } from '@apiserver/api/batch/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { jobSpecWarnings } from './spec-warnings.js';

describe('jobSpecWarnings', () => {
  const template = { metadata: {}, spec: { containers: [] } };
  it.each([
    ['Indexed', 100_001, 10_001, 1],
    ['Indexed', 100_000, 10_001, 0],
    ['Indexed', 100_001, 10_000, 0],
    ['NonIndexed', 100_001, 10_001, 0],
  ])('of %s with %i completions, %i at once', (completionMode, completions, parallelism, count) => {
    const spec = { completionMode, completions, parallelism, template } as unknown as JobSpec;
    const warnings = jobSpecWarnings(spec, FieldPath.of('spec'));
    expect(warnings).toHaveLength(count);
    for (const text of warnings) {
      expect(text).toMatch(/^spec: In Indexed Jobs with a number of completions higher than 10\^5 /);
    }
  });
});
