import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { TokenUse } from './token-objects.js';

/** Upstream: pkg/serviceaccount/metrics.go */
const counters: Readonly<Record<TokenUse, readonly [name: string, help: string]>> = {
  legacy: ['serviceaccount_legacy_tokens_total', 'Uses of tokens that name no audience.'],
  'legacy-manual': ['serviceaccount_legacy_manual_token_uses_total', 'Uses of tokens in secrets that somebody made.'],
  'legacy-auto': [
    'serviceaccount_legacy_auto_token_uses_total',
    'Uses of tokens in secrets that were made for accounts.',
  ],
  'legacy-auto-invalidated': [
    'serviceaccount_invalid_legacy_auto_token_uses_total',
    'Uses of tokens in secrets that were marked invalid.',
  ],
  stale: ['serviceaccount_stale_tokens_total', 'Uses of tokens after the time that was asked for.'],
  valid: ['serviceaccount_valid_tokens_total', 'Uses of tokens within the time that was asked for.'],
};

/** Registers the uses of service account tokens; the result counts one use. */
export function createTokenMetrics(metrics: MetricsRegistry): (use: TokenUse) => void {
  const series = Object.entries(counters).map(([use, [name, help]]) => {
    return [use, metrics.counter({ name, help, labels: [] }).with({})] as const;
  });
  const byUse = new Map<string, (typeof series)[number][1]>(series);
  return (use) => {
    const counter = byUse.get(use);
    if (counter !== undefined) counter.value++;
  };
}
