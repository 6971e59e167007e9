import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, test } from 'vitest';
import { MatchConditionMetrics } from './match-condition-metrics.js';

test('evaluations, errors and exclusions of match conditions are counted', async () => {
  const registry = new MetricsRegistry();
  const metrics = new MatchConditionMetrics(registry);
  expect((await registry.expose()).text).not.toContain('match_condition');
  const owner = { name: 'p', kind: 'policy', type: 'validate' } as const;
  const { evaluated, failed } = metrics.observer(owner);
  evaluated('CREATE', 0.15);
  evaluated('CREATE', 0.15);
  failed('UPDATE');
  metrics.excluded({ ...owner, kind: 'webhook' }, 'DELETE');
  const lines = (await registry.expose()).text.split('\n').filter((line) => /match_condition/.test(line));
  const family = 'apiserver_admission_match_condition';
  const samples = lines.filter((line) => !/^# TYPE|_sum|_bucket/.test(line));
  expect(samples.toSorted()).toEqual(
    [
      `# HELP ${family}_evaluation_errors_total [ALPHA] Number of match conditions that could not be evaluated.`,
      `# HELP ${family}_exclusions_total [ALPHA] Number of requests that match conditions excluded.`,
      `# HELP ${family}_evaluation_seconds [ALPHA] Time the match conditions of a webhook or a policy took.`,
      `${family}_evaluation_errors_total{kind="policy",name="p",operation="UPDATE",type="validate"} 1`,
      `${family}_exclusions_total{kind="webhook",name="p",operation="DELETE",type="validate"} 1`,
      `${family}_evaluation_seconds_count{kind="policy",name="p",operation="CREATE",type="validate"} 2`,
    ].toSorted(),
  );
  const buckets = lines.filter((line) => line.includes('_bucket'));
  expect(buckets.map((line) => line.replace(/.*le="(.*)"\} /, '$1 '))).toEqual([
    '0.001 0',
    '0.005 0',
    '0.01 0',
    '0.025 0',
    '0.1 0',
    '0.2 2',
    '0.25 2',
    '+Inf 2',
  ]);
});
