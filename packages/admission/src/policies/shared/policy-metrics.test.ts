import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, test } from 'vitest';
import { errorTypeOf, mutatingPolicyMetrics, validatingPolicyMetrics } from './policy-metrics.js';

test('errors have types', () => {
  const messages = [
    undefined,
    'compilation error: undeclared reference',
    'validation failed due to running out of cost budget, no further validation rules will be run',
    'an expression of a compilation failed',
    '',
  ];
  expect(messages.map(errorTypeOf)).toEqual([
    'no_error',
    'compile_error',
    'out_of_budget',
    'invalid_error',
    'invalid_error',
  ]);
});

const check = { policy: 'p', binding: 'b', errorType: 'no_error', seconds: 0.05 } as const;

async function linesOf(registry: MetricsRegistry): Promise<readonly string[]> {
  const { text } = await registry.expose();
  return text.split('\n').filter((line) => line.includes('_admission_policy_') && !/^# TYPE|_sum/.test(line));
}

test('checks of validating policies are counted from the first one on', async () => {
  const registry = new MetricsRegistry();
  const metrics = validatingPolicyMetrics(registry);
  expect(await linesOf(registry)).toEqual([]);
  metrics.observe(check, 'deny');
  metrics.observe(check, 'deny');
  metrics.observe({ ...check, errorType: 'compile_error' });
  const family = 'apiserver_validating_admission_policy_check';
  const labels = (errorType: string, action: string) =>
    `enforcement_action="${action}",error_type="${errorType}",policy="p",policy_binding="b"`;
  const lines = await linesOf(registry);
  const samples = lines.filter((line) => !line.includes('_bucket'));
  expect(samples.toSorted((a, b) => Number(a.includes('_duration')) - Number(b.includes('_duration')))).toEqual([
    `# HELP ${family}_total [BETA] Checks of validating admission policies, by policy, binding, error and action taken.`,
    `${family}_total{${labels('compile_error', '')}} 1`,
    `${family}_total{${labels('no_error', 'deny')}} 2`,
    `# HELP ${family}_duration_seconds [BETA] Time that an expression of a validating admission policy took, by policy, binding, error and action taken.`,
    `${family}_duration_seconds_count{${labels('compile_error', '')}} 1`,
    `${family}_duration_seconds_count{${labels('no_error', 'deny')}} 2`,
  ]);
  const buckets = lines.filter((line) => line.includes('_bucket') && line.includes('deny'));
  expect(buckets.map((line) => line.replace(/.*le="(.*)"\} /, '$1 '))).toEqual([
    '5e-07 0',
    '0.001 0',
    '0.01 0',
    '0.1 2',
    '1 2',
    '+Inf 2',
  ]);
});

test('checks of mutating policies are counted without an action', async () => {
  const registry = new MetricsRegistry();
  const metrics = mutatingPolicyMetrics(registry);
  metrics.observe(check);
  metrics.observe({ ...check, errorType: 'out_of_budget' });
  const family = 'apiserver_mutating_admission_policy_check';
  const labels = (errorType: string) => `error_type="${errorType}",policy="p",policy_binding="b"`;
  const samples = (await linesOf(registry)).filter((line) => !line.includes('_bucket'));
  expect(samples.toSorted((a, b) => Number(a.includes('_duration')) - Number(b.includes('_duration')))).toEqual([
    `# HELP ${family}_total [ALPHA] Checks of mutating admission policies, by policy, binding and error.`,
    `${family}_total{${labels('no_error')}} 1`,
    `${family}_total{${labels('out_of_budget')}} 1`,
    `# HELP ${family}_duration_seconds [ALPHA] Time that a mutation of an admission policy took, by policy, binding and error.`,
    `${family}_duration_seconds_count{${labels('no_error')}} 1`,
    `${family}_duration_seconds_count{${labels('out_of_budget')}} 1`,
  ]);
});
