import type { Service, ServiceSpec } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { TEST_FEATURES } from '../../../testing/group-dependencies.js';
import { serviceDeclaration } from '../index.js';
import type { ServiceAllocators } from './service-allocators.js';
import { withServiceAllocators } from './with-service-allocators.js';

const { storeHooks } = withServiceAllocators(serviceDeclaration(TEST_FEATURES), true, {
  allocators: { primaryFamily: 'IPv6' } as ServiceAllocators,
  deleteEndpoints: async () => {},
  onCleanupError: () => {},
});

const service = (spec: ServiceSpec): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec,
  status: { loadBalancer: {} },
});

it.each<[string, ServiceSpec, ServiceSpec]>([
  [
    'with an external name and a traffic policy',
    { type: 'ExternalName', externalName: 'a.example.com', internalTrafficPolicy: 'Cluster' },
    { type: 'ExternalName', externalName: 'a.example.com' },
  ],
  [
    'with two addresses without families',
    { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'], internalTrafficPolicy: 'Cluster' },
    {
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1', 'fd00::1'],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    },
  ],
  [
    'without an address, and without a selector',
    { clusterIP: 'None', clusterIPs: ['None'] },
    { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' },
  ],
])('a service is read %s', (_what, stored, spec) => {
  const kept = service(stored);
  expect(storeHooks?.decorate?.(kept)).toEqual(service(spec));
  expect(kept).toEqual(service(stored));
});
