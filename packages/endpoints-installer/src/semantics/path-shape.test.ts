import { expect, test } from 'vitest';
import { createTestExchange } from '../testing/index.js';
import { pathShapeOf } from './path-shape.js';

test.each([
  ['/api/v1/pods', 'plain'],
  ['/api/v1/pods/p/status', 'plain'],
  ['//api/v1/pods//', 'plain'],
  ['/api/v1/namespaces/n', 'plain'],
  ['/api/v1/namespaces/n/status', 'plain'],
  ['/api/v1/namespaces/n/pods', 'namespace'],
  ['/apis/apps/v1/namespaces/n/deployments/d', 'namespace'],
  ['/api/v1/watch/pods', 'verb'],
  ['/api/v1/watch/namespaces/n/pods/p', 'verb namespace'],
  ['/apis/apps/v1/watch/deployments', 'verb'],
  ['/api/v1/namespaces//pods', 'namespace'],
  ['/api/v1/namespaces//pods//status', 'namespace'],
  ['/api/v1/pods//status', 'plain'],
  [`/api/v1/nodes/n/proxy${'/a'.repeat(2_000)}`, 'plain'],
  [`/api/v1/namespaces/n/pods/p/proxy${'/a'.repeat(2_000)}`, 'namespace'],
])('%.50s is %s', (url, expected) => {
  const info = createTestExchange({ url }).context.requestInfo!;
  const { verbInPath, inNamespace } = pathShapeOf(info);
  const words = [verbInPath && 'verb', inNamespace && 'namespace', !verbInPath && !inNamespace && 'plain'];
  expect(words.filter(Boolean).join(' ')).toBe(expected);
});
