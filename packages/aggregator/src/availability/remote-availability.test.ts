import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findCondition } from '../api-service/conditions.js';
import type { DocumentRequest, FetchedDocument } from '../proxy/fetch-document.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { runRemoteAvailability } from './remote-availability.js';

const fetched = vi.hoisted(() => vi.fn<(request: DocumentRequest) => Promise<FetchedDocument>>());
vi.mock('../proxy/fetch-document.js', () => ({ fetchDocument: fetched }));

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

/** Starts the controller with servers that `respond`. Returns the conditions that it writes. */
function startWith(names: readonly string[], respond: (request: DocumentRequest) => Promise<number>) {
  fetched.mockReset();
  fetched.mockImplementation(async (request) => {
    return { status: await respond(request), contentType: '', etag: '', body: '' };
  });
  const informer = new ControlledInformer<APIService>();
  const services = new ControlledInformer<Service>();
  services.put(service({ type: 'ExternalName' }));
  // Its events would check each APIService again.
  vi.spyOn(services, 'subscribe').mockReturnValue(() => {});
  const clock = new ManualClock();
  const written: string[] = [];
  const logger = { ...throwingLogger, error: () => {}, warning: () => {}, info: () => {} };
  runRemoteAvailability(
    {
      informer,
      services,
      endpointSlices: new ControlledInformer<EndpointSlice>(),
      clock,
      logger,
      resolve: () => ({ hostname: '192.0.2.1', port: 443 }),
      certificate: () => ({ certificate: '', key: '' }),
      client: {
        async update(_namespace, object) {
          const { status = '', message = '' } = findCondition(object, 'Available') ?? {};
          written.push(`${object.metadata.name} ${status}: ${message}`);
          return object;
        },
      },
      metrics: { changed: () => {} },
    },
    stopping.signal,
  );
  for (const name of names) informer.put({ ...apiService, metadata: { name } });
  return { clock, informer, written };
}

const ATTEMPTS = 5;

it('takes one success in five attempts, and makes no more after a first success', async () => {
  let failures = 4;
  const { written, clock } = startWith(['a'], async () => (failures-- > 0 ? 500 : 200));
  await vi.waitFor(() => expect(written).toEqual(['a True: all checks passed']), { timeout: 30_000 });
  expect(fetched.mock.calls.length).toBe(ATTEMPTS);
  clock.advance(30_000);
  await vi.waitFor(() => expect(fetched.mock.calls.length).toBe(ATTEMPTS + 1), { timeout: 30_000 });
  await eventLoopTurns();
  expect(fetched.mock.calls.length).toBe(ATTEMPTS + 1);
});

it('makes all attempts when the first one takes a second, and waits for no more than one success', async () => {
  const { written, clock } = startWith(['a'], async () => {
    const isFirst = fetched.mock.calls.length === 1;
    if (isFirst || fetched.mock.calls.length === 3) return 200 + (await new Promise<number>(() => {}));
    return fetched.mock.calls.length === ATTEMPTS ? 200 : 500;
  });
  await vi.waitFor(() => expect(fetched.mock.calls.length).toBe(1), { timeout: 30_000 });
  clock.advance(999);
  await eventLoopTurns();
  expect(fetched.mock.calls.length).toBe(1);
  clock.advance(1);
  await vi.waitFor(() => expect(written).toEqual(['a True: all checks passed']), { timeout: 30_000 });
  expect(fetched.mock.calls.length).toBe(ATTEMPTS);
});

it('gives up after five failures', async () => {
  const { written } = startWith(['a'], async () => 500);
  const url = 'https://192.0.2.1:443/apis/example.com/v1';
  const expected = `a False: failing or missing response from ${url}: bad status from ${url}: 500`;
  await vi.waitFor(() => expect(written).toEqual([expected]), { timeout: 30_000 });
  expect(fetched.mock.calls.length).toBe(ATTEMPTS);
});

it('connects with one transport as long as an APIService stays the same', async () => {
  const { informer, clock } = startWith(['a'], async () => 200);
  const transports = () => new Set(fetched.mock.calls.map(([{ transport }]) => transport)).size;
  const checked = (times: number) =>
    vi.waitFor(() => expect(fetched.mock.calls.length).toBe(times), { timeout: 30_000 });
  await checked(1);
  clock.advance(30_000);
  await checked(2);
  expect(transports()).toBe(1);
  informer.put({ ...apiService, metadata: { name: 'a' }, spec: { ...apiService.spec, insecureSkipTLSVerify: true } });
  await checked(3);
  expect(transports()).toBe(2);
});

it('keeps no transport of an APIService that is deleted during its check', async () => {
  let failures = 1;
  const { informer } = startWith(['a'], async () => {
    if (failures-- <= 0) return 200;
    informer.remove('a');
    return 500;
  });
  await vi.waitFor(() => expect(fetched.mock.calls.length).toBe(ATTEMPTS), { timeout: 30_000 });
  informer.put({ ...apiService, metadata: { name: 'a' } });
  await vi.waitFor(() => expect(fetched.mock.calls.length).toBe(ATTEMPTS + 1), { timeout: 30_000 });
  const transports = fetched.mock.calls.map(([{ transport }]) => transport);
  expect(new Set(transports.slice(0, ATTEMPTS)).has(transports[ATTEMPTS] as (typeof transports)[0])).toBe(false);
});

it('checks five APIServices at once', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
  const waiting: (() => void)[] = [];
  const { written } = startWith(names, () => new Promise((resolve) => waiting.push(() => resolve(200))));
  while (written.length < names.length) {
    await eventLoopTurns();
    expect(waiting.length).toBeLessThanOrEqual(5);
    for (const respond of waiting.splice(0)) respond();
  }
  expect(written.length).toBe(12);
});
