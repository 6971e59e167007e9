import type { GroupResource } from '@apiserver/apimachinery';
import type { ApiResponse } from '@apiserver/apiserver-contracts';
import { throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import { describe, expect, it } from 'vitest';
import { storageVersionFilter } from './storage-versions.js';

const SERVER = { name: 'system:apiserver', groups: ['system:masters'], extra: {} };
const PASSED: ApiResponse = { type: 'bytes', status: 299, body: undefined };
const configMaps = '/api/v1/namespaces/default/configmaps';

/** The response to a request while ConfigMaps, namespaces, leases and StorageVersions wait. */
async function ask(method: string, url: string, { isCompleted = false, user = { ...SERVER, name: 'me' } } = {}) {
  const waiting = ['configmaps', 'namespaces', 'leases', 'storageversions'];
  const filter = storageVersionFilter(
    {
      isCompleted,
      isPending: ({ resource }: GroupResource) => waiting.includes(resource),
      lastError: ({ group }) => (group === '' ? '<nil>' : 'it is late'),
    },
    logger,
  );
  const exchange = createTestExchange({ method, url, user });
  return await filter.wrap(() => PASSED)(exchange);
}

describe('the filter for unrecorded storage versions', () => {
  it.each<[string, string]>([
    ['POST', '/version'],
    ['GET', configMaps],
    ['GET', `${configMaps}/a`],
    ['GET', `${configMaps}?watch=1`],
    ['POST', '/api/v1/namespaces/default/pods'],
    ['PUT', '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/a'],
    ['PATCH', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a'],
  ])('passes %s %s', async (method, url) => {
    expect(await ask(method, url)).toBe(PASSED);
  });

  it.each<[string, string, string, string]>([
    ['POST', configMaps, 'configmaps', '<nil>'],
    ['DELETE', configMaps, 'configmaps', '<nil>'],
    ['POST', '/api/v1/namespaces', 'namespaces', '<nil>'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/a', 'leases.coordination.k8s.io', 'it is late'],
  ])('refuses %s %s', async (method, url, resource, error) => {
    const refusal = await ask(method, url);
    if (refusal.type !== 'bytes') throw new Error('not in one piece');
    expect(JSON.parse(String(refusal.body))).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: `wait for storage version registration to complete for resource: ${resource}, last seen error: ${error}`,
    });
  });

  it('lets the server itself create namespaces, and nothing else', async () => {
    expect(await ask('POST', '/api/v1/namespaces', { user: SERVER })).toBe(PASSED);
    expect(await ask('POST', '/api/v1/namespaces', { user: { ...SERVER, groups: [] } })).not.toBe(PASSED);
    expect(await ask('PUT', '/api/v1/namespaces/a', { user: SERVER })).not.toBe(PASSED);
  });

  it('passes everything once all is recorded', async () => {
    expect(await ask('POST', configMaps, { isCompleted: true })).toBe(PASSED);
  });
});
