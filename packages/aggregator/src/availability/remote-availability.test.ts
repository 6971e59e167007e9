import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCondition } from '../api-service/conditions.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { runRemoteAvailability } from './remote-availability.js';

const apiService: APIService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    service: { namespace: 'ns', name: 's', port: 443 },
    groupPriorityMinimum: 1,
    versionPriority: 1,
  },
  status: {},
};
const service = (spec: Partial<Service['spec']> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'ns' },
  spec: { type: 'ClusterIP', clusterIP: '10.0.0.9', ports: [{ name: 'https', port: 443 }], ...spec },
  status: { loadBalancer: {} },
});
const slice = (endpoints: EndpointSlice['endpoints'] & {}, portName = 'https', of = 's'): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'slice', namespace: 'ns', labels: { 'kubernetes.io/service-name': of } },
  addressType: 'IPv4',
  endpoints,
  ports: [{ name: portName, port: 8443 }],
});
const ready = { addresses: ['192.0.2.1'], conditions: {} };
const unready = { addresses: ['192.0.2.2'], conditions: { ready: false } };

let stopping: AbortController;
beforeEach(() => {
  stopping = new AbortController();
});
afterEach(() => stopping.abort());

/** Returns the condition Available. The server itself is unreachable. */
async function availabilityWith(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  { object = apiService, failed = () => {} }: { object?: APIService; failed?: (error: unknown) => void } = {},
): Promise<string> {
  const said = Promise.withResolvers<APIService>();
  const informer = new ControlledInformer<APIService>();
  const serviceView = new ControlledInformer<Service>();
  const sliceView = new ControlledInformer<EndpointSlice>();
  for (const one of services) serviceView.put(one);
  for (const one of slices) sliceView.put(one);
  const logger = { ...throwingLogger, error: failed, warning: () => {}, info: () => {} };
  runRemoteAvailability(
    {
      informer,
      services: serviceView,
      endpointSlices: sliceView,
      resolve: () => {
        throw new Error('out of reach');
      },
      certificate: () => ({ certificate: '', key: '' }),
      client: {
        async update(_namespace, object) {
          said.resolve(object);
          return object;
        },
      },
      clock: new ManualClock(),
      metrics: { changed: () => {} },
      logger,
    },
    stopping.signal,
  );
  informer.put(object);
  const { status = '', reason = '', message = '' } = findCondition(await said.promise, 'Available') ?? {};
  return `${status} ${reason}: ${message}`;
}

it('leaves the condition of an APIService whose authorities are none', async () => {
  const logged = Promise.withResolvers<unknown>();
  const caBundle = Buffer.from('none').toString('base64');
  const broken = { ...apiService, spec: { ...apiService.spec, caBundle } };
  const written = availabilityWith([service({ type: 'ExternalName' })], [], { object: broken, failed: logged.resolve });
  expect(await Promise.race([logged.promise, written])).toMatchObject({
    message: 'unable to load root certificates: unable to parse bytes as PEM block',
  });
});

describe('an APIService is Available only if', () => {
  it.each<[string, readonly Service[], readonly EndpointSlice[], string]>([
    ['its service is', [], [], 'False ServiceNotFound: service/s in "ns" is not present'],
    [
      'its service has the port',
      [service({ ports: [{ name: 'https', port: 8443 }] })],
      [],
      'False ServicePortError: service/s in "ns" is not listening on port 443',
    ],
    [
      'its service has endpoints',
      [service()],
      [slice([ready], 'https', 'other')],
      'False EndpointsNotFound: cannot find endpointslices for service/s in "ns"',
    ],
    [
      'an endpoint is ready',
      [service()],
      [slice([unready])],
      'False MissingEndpoints: endpointslices for service/s in "ns" have no addresses with port name "https"',
    ],
    [
      'a ready endpoint has the port',
      [service()],
      [slice([ready], 'metrics')],
      'False MissingEndpoints: endpointslices for service/s in "ns" have no addresses with port name "https"',
    ],
    ['its server responds', [service()], [slice([unready, ready])], 'False FailedDiscoveryCheck: out of reach'],
    [
      'its server responds, at any address',
      [service({ type: 'ExternalName' })],
      [],
      'False FailedDiscoveryCheck: out of reach',
    ],
  ])('%s', async (_what, services, slices, expected) => {
    expect(await availabilityWith(services, slices)).toBe(expected);
  });
});
