import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { createTokenMetrics } from './create-token-metrics.js';

it('counts uses of tokens by their kind, under upstream’s names', async () => {
  const registry = new MetricsRegistry();
  const count = createTokenMetrics(registry);
  count('valid');
  count('valid');
  count('stale');
  const { text } = await registry.expose();
  expect(
    text
      .split('\n')
      .filter((line) => line.startsWith('serviceaccount_'))
      .sort(),
  ).toEqual([
    'serviceaccount_invalid_legacy_auto_token_uses_total 0',
    'serviceaccount_legacy_auto_token_uses_total 0',
    'serviceaccount_legacy_manual_token_uses_total 0',
    'serviceaccount_legacy_tokens_total 0',
    'serviceaccount_stale_tokens_total 1',
    'serviceaccount_valid_tokens_total 2',
  ]);
});
