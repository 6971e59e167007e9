import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { describe, expect, it } from 'vitest';
import { clusterIPResolver, endpointResolver } from './service-resolver.js';

const service = (spec: Service['spec']): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'ns' },
  spec: { ports: [{ name: 'https', port: 443 }], ...spec },
  status: { loadBalancer: {} },
});
const slice = (
  name: string,
  endpoints: EndpointSlice['endpoints'] & {},
  ports: EndpointSlice['ports'] & {} = [{ name: 'https', port: 8443 }],
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': 's' } },
  addressType: 'IPv4',
  endpoints,
  ports,
});
const target = { namespace: 'ns', name: 's', port: 443 };
const views = (found: Service | undefined, slices: readonly EndpointSlice[] = []) => ({
  services: { get: (namespace: string, name: string) => (`${namespace}/${name}` === 'ns/s' ? found : undefined) },
  endpointSlices: { list: () => slices },
});

describe('clusterIPResolver', () => {
  it.each([
    [
      { type: 'ClusterIP', clusterIP: '10.0.0.9' },
      { hostname: '10.0.0.9', port: 443 },
    ],
    [
      { type: 'LoadBalancer', clusterIP: '10.0.0.9' },
      { hostname: '10.0.0.9', port: 443 },
    ],
    [
      { type: 'ExternalName', externalName: 'example.com', ports: [] },
      { hostname: 'example.com', port: 443 },
    ],
  ])('%o', (spec, expected) => {
    expect(clusterIPResolver(views(service(spec)))(target)).toEqual(expected);
  });

  it.each([
    [undefined, 'service "s" not found'],
    [service({ type: 'ClusterIP', clusterIP: 'None' }), 'cannot route to service with ClusterIP "None"'],
    [service({ type: 'ClusterIP', ports: [{ port: 80 }] }), 'no service port 443 found for service "s"'],
  ])('does not resolve %#', (found, message) => {
    expect(() => clusterIPResolver(views(found))(target)).toThrow(message);
  });
});

describe('endpointResolver', () => {
  const found = service({ type: 'ClusterIP', clusterIP: '10.0.0.9' });
  const slices = [
    slice('a', [
      { addresses: ['192.0.2.1'], conditions: {} },
      { addresses: ['192.0.2.2'], conditions: { ready: false } },
    ]),
    slice('b', [{ addresses: ['192.0.2.3'], conditions: { ready: true } }]),
    slice('c', [{ addresses: ['192.0.2.4'], conditions: {} }], [{ name: 'other', port: 1 }]),
  ];

  it('picks a ready endpoint that has the port', () => {
    const chosen = [0, 1].map((n) => endpointResolver(views(found, slices), () => n)(target));
    expect(chosen).toEqual([
      { hostname: '192.0.2.1', port: 8443 },
      { hostname: '192.0.2.3', port: 8443 },
    ]);
  });

  it('prefers the first IP family of the service', () => {
    const six = (addresses: string[], ready = true): EndpointSlice => ({
      ...slice('six', [{ addresses, conditions: { ready } }]),
      addressType: 'IPv6',
    });
    const dual = (...ipFamilies: string[]) => service({ type: 'ClusterIP', clusterIP: '10.0.0.9', ipFamilies });
    const chosen = (families: string[], slice6: EndpointSlice) =>
      new Set(
        [0, 1, 2].map((n) => {
          const random = (size: number) => n % size;
          return endpointResolver(views(dual(...families), [...slices, slice6]), random)(target).hostname;
        }),
      );
    const both = new Set(['192.0.2.1', '192.0.2.3']);
    expect(chosen(['IPv6', 'IPv4'], six(['2001:db8::1']))).toEqual(new Set(['2001:db8::1']));
    expect(chosen(['IPv4', 'IPv6'], six(['2001:db8::1']))).toEqual(both);
    expect(chosen(['IPv6', 'IPv4'], six(['2001:db8::1'], false))).toEqual(both);
  });

  it.each([
    [found, [], 'no endpoints available for service "s"'],
    [service({ type: 'ExternalName', externalName: 'example.com' }), slices, 'unsupported service type "ExternalName"'],
  ])('does not resolve %#', (one, all, message) => {
    expect(() => endpointResolver(views(one, all), () => 0)(target)).toThrow(message);
  });
});
