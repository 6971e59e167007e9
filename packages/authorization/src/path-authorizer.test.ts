import { describe, expect, it } from 'vitest';
import { pathAuthorizer } from './path-authorizer.js';
import { authorizerSuite, testAttributes } from './testing/index.js';

authorizerSuite('paths', () => pathAuthorizer(['/healthz']));

const request = (path: string, isResourceRequest = false) => testAttributes({ path, isResourceRequest });

describe('pathAuthorizer', () => {
  it.each<[string, string, string]>([
    ['/healthz', '/healthz', 'Allow'],
    ['healthz', '/healthz', 'Allow'],
    ['/healthz', '/healthz/etcd', 'NoOpinion'],
    ['/healthz', '/health', 'NoOpinion'],
    ['/healthz/*', '/healthz/etcd', 'Allow'],
    ['/healthz/*', '/healthz', 'NoOpinion'],
    ['/health*', '/healthz', 'Allow'],
    ['/', '/', 'Allow'],
    ['/', '/version', 'NoOpinion'],
    ['*', '/anything', 'Allow'],
  ])('%s against %s', async (allowed, path, decision) => {
    expect(await pathAuthorizer([allowed]).authorize(request(path))).toEqual({ decision, reason: '' });
  });

  it('has no opinion on resources', async () => {
    expect((await pathAuthorizer(['*']).authorize(request('/api/v1/pods', true))).decision).toBe('NoOpinion');
  });

  it('refuses a * elsewhere', () => {
    expect(() => pathAuthorizer(['/a*b'])).toThrow('only trailing * allowed in "a*b"');
  });
});
