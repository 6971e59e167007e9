import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import type { Ingress } from '@apiserver/api/networking/v1';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { serviceDeclaration } from '../core/service/index.js';
import { endpointSlices } from '../discovery/endpoint-slice/index.js';
import { ingresses } from '../networking/ingress/index.js';
import { TEST_FEATURES } from '../testing/group-dependencies.js';

/** More than the maximum number of arguments of a call. */
const MANY = 200_000;
const many = <T>(make: (i: number) => T) => Array.from({ length: MANY }, (_, i) => make(i));
const context = testContext({ namespace: 'ns' });
const metadata = { name: 'a', namespace: 'ns' };
const labels = (value: string) => Object.fromEntries(many((i) => [`l${i}`, value]));

const slice: EndpointSlice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata,
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: {}, deprecatedTopology: labels('!') }],
  ports: [],
};
const ingress: Ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata,
  spec: { rules: many(() => ({ host: '!' })) },
  status: { loadBalancer: {} },
};
const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: { type: 'ClusterIP', clusterIP: 'x', clusterIPs: many(() => 'x'), ports: [{ port: 1 }] },
  status: { loadBalancer: {} },
};

it.each([
  ['an endpoint slice', () => endpointSlices(TEST_FEATURES).strategy.validate(context, slice)],
  ['an ingress', () => ingresses(TEST_FEATURES).strategy.validate(context, ingress)],
  ['a service', () => serviceDeclaration(TEST_FEATURES).strategy.validate(context, service)],
  [
    'the warnings of a service',
    () => serviceDeclaration(TEST_FEATURES).strategy.warningsOnCreate?.(context, withManyIPs(service)) ?? [],
  ],
])('%s may have any number of faults', (_what, faults) => {
  expect(faults().length).toBeGreaterThanOrEqual(MANY);
});

function withManyIPs(of: Service): Service {
  return { ...of, spec: { ...of.spec, clusterIP: '010.0.0.1', clusterIPs: many(() => '010.0.0.1') } };
}
