import { expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, paths } from './objects.ts';

const server = assembledServer('--service-cluster-ip-range=10.7.0.0/28', '--service-node-port-range=30100-30101');
const SERVICES = paths.in('default', 'services');

const service = (name: string, spec: object = {}) =>
  core('Service', name, { spec: { ports: [{ port: 80 }], ...spec } });
const create = (name: string, spec: object = {}) => server.ask('POST', SERVICES, service(name, spec));

it('gives a service an address of the range, and gives none twice', async () => {
  const { clusterIP } = (await server.make(SERVICES, service('first'))).spec;
  expect(clusterIP).toMatch(/^10\.7\.0\.\d+$/);
  const refused = await create('same', { clusterIP });
  expect([refused.code, refused.body.message]).toEqual([
    422,
    expect.stringContaining('provided IP is already allocated'),
  ]);
  const outside = await create('outside', { clusterIP: '10.8.0.1' });
  expect(outside.code).toBe(422);
});

it('gives back the address of a service that is deleted', async () => {
  const { clusterIP } = (await server.make(SERVICES, service('gone'))).spec;
  expect((await server.ask('DELETE', `${SERVICES}/gone`)).code).toBe(200);
  expect((await create('next', { clusterIP })).code).toBe(201);
});

it('keeps nothing of a dry run', async () => {
  const { clusterIP } = (await server.make(SERVICES, service('free'))).spec;
  await server.ask('DELETE', `${SERVICES}/free`);
  const dry = await server.ask('POST', `${SERVICES}?dryRun=All`, service('dry', { clusterIP }));
  const wet = await create('wet', { clusterIP });
  expect([dry.code, wet.code, wet.body.message]).toEqual([201, 201, undefined]);
});

it('gives node ports of the range while there are any', async () => {
  const responses = [];
  for (const name of ['one', 'two', 'three']) responses.push(await create(name, { type: 'NodePort' }));
  expect(responses.map(({ code }) => code)).toEqual([201, 201, 500]);
  expect(
    responses
      .slice(0, 2)
      .map(({ body }) => body.spec.ports[0].nodePort)
      .sort(),
  ).toEqual([30_100, 30_101]);
  expect(responses[2]?.body.message).toContain('range is full');
});

it('makes a lost address of a changed service again, and reports it by an event', async () => {
  const { clusterIP } = (await server.make(SERVICES, service('lost'))).spec;
  const address = `/apis/networking.k8s.io/v1/ipaddresses/${clusterIP}`;
  await server.ask('DELETE', address);
  await server.make(`${SERVICES}/lost`, { metadata: { labels: { seen: 'again' } } }, 'PATCH');
  await server.until(200, () => server.ask('GET', address));
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  await expect
    .poll(async () => (await server.ask('GET', events)).body.items)
    .toMatchObject([
      {
        reason: 'ClusterIPNotAllocated',
        reportingController: 'ipallocator-repair-controller',
        regarding: { kind: 'Service', name: 'lost' },
      },
    ]);
});

it('takes the endpoints of a service along', async () => {
  await server.make(SERVICES, service('backed'));
  await server.make(paths.in('default', 'endpoints'), core('Endpoints', 'backed'));
  await server.ask('DELETE', `${SERVICES}/backed`);
  expect((await server.ask('GET', paths.in('default', 'endpoints/backed'))).code).toBe(404);
});
