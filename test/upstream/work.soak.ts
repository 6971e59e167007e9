import { messageOf } from '@apiserver/apimachinery/errors';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import { it } from 'vitest';
import { WorkEstimator } from '../../packages/flowcontrol/src/estimation/work-estimator.ts';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeUpstream } from './upstream-program.ts';

interface WorkCase {
  readonly method: string;
  readonly url: string;
  readonly count?: number;
  readonly averageBytes: number;
  readonly watchers: number;
  readonly maxSeats: number;
}

const PATHS = [
  '/api/v1/namespaces/n/pods',
  '/api/v1/namespaces/n/pods/p',
  '/api/v1/namespaces/n/pods/p/status',
  '/api/v1/namespaces/n/serviceaccounts/s/token',
  '/apis/apps/v1/deployments',
  '/api/v1/watch/pods',
  '/healthz',
] as const;
const QUERIES = [
  'watch=true',
  'watch=true',
  ...['limit=1', 'limit=500', 'limit=100000', 'limit=-1', 'limit=x', 'limit='],
  ...['resourceVersion=', 'resourceVersion=0', 'resourceVersion=5', 'resourceVersion=x'],
  ...['resourceVersionMatch=Exact', 'resourceVersionMatch=NotOlderThan', 'resourceVersionMatch=x'],
  ...['continue=x', 'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0', 'continue='],
  ...[
    'labelSelector=a%3D1',
    'labelSelector=a%20in',
    'fieldSelector=metadata.name%3Dp',
    'fieldSelector=spec.x%3D1',
    'fieldSelector=x',
  ],
  ...[
    'sendInitialEvents=true',
    'sendInitialEvents=false',
    'sendInitialEvents=x',
    'allowWatchBookmarks=true',
    'timeoutSeconds=x',
  ],
] as [string, ...string[]];
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const COUNTS = [0, 1, 99, 100, 101, 1_000, 5_000, 150_000] as const;

function randomCase(random: Random): WorkCase {
  const query = Array.from({ length: random.below(5) }, () => random.of(QUERIES)).join('&');
  return {
    method: random.of(METHODS),
    url: random.of(PATHS) + (query && `?${query}`),
    ...(random.chance(0.9) && { count: random.of(COUNTS) + random.below(3) }),
    averageBytes: random.of([0, 100, 2_000, 30_000, 1_400_000]) + random.below(50),
    watchers: random.of([0, 5, 9, 10, 11, 55, 1_000, 40_000]),
    maxSeats: random.of([0, 1, 2, 5, 10, 15, 100, 600]),
  };
}

function ours({ method, url, count, averageBytes, watchers, maxSeats }: WorkCase): object {
  const stats = () => (count === undefined ? undefined : { count, averageBytes });
  const estimator = new WorkEstimator({ stats, watches: { interested: () => watchers }, bySize: true });
  const exchange = createTestExchange({ method, url });
  try {
    const info = resolveRequestInfo(exchange.request);
    const { initialSeats, finalSeats, additionalLatency } = estimator.estimate(exchange, info, maxSeats, {
      watchers: () => {},
    });
    return { initialSeats, finalSeats, additionalLatency: additionalLatency.toFixed(3) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

describeUpstream('work', (upstream) => {
  it('is estimated as by upstream', () => compareCases(upstream(), { area: 'work', randomCase, ours }));
});
