import type { APIService } from '@apiserver/api/apiregistration/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import type { FetchedDocument } from '../proxy/fetch-document.js';
import { localApiService } from '../registration/desired-api-service.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { RemoteDiscovery } from './remote-discovery.js';

function remote(status: string): APIService {
  const local = localApiService({ group: 'r.example.com', version: 'v1' }, { group: 5, version: 5 }, 'true');
  const service = { namespace: 'ns', name: 's', port: 443 };
  return { ...local, spec: { ...local.spec, service }, status: { conditions: [{ type: 'Available', status }] } };
}

const aggregated: FetchedDocument = {
  status: 200,
  contentType: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  etag: '',
  body: JSON.stringify({
    items: [
      { metadata: { name: 'other' }, versions: [{ version: 'v1', resources: [] }] },
      { metadata: { name: 'r.example.com' }, versions: [{ version: 'v1', resources: [{ resource: 'things' }] }] },
    ],
  }),
};
/** Written even if a server leaves them out. */
const absent = { scope: '', singularResource: '', verbs: null };
const notFound: FetchedDocument = { status: 404, contentType: 'text/plain', etag: '', body: '' };
const plain: FetchedDocument = {
  status: 200,
  contentType: 'application/json',
  etag: '',
  body: JSON.stringify({
    resources: [
      { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'], shortNames: ['t'] },
      {
        name: 'things/scale',
        singularName: '',
        namespaced: true,
        kind: 'Scale',
        group: 'autoscaling',
        version: 'v1',
        verbs: ['get'],
      },
    ],
  }),
};

async function start(responses: Record<string, FetchedDocument>) {
  const informer = new ControlledInformer<APIService>();
  const clock = new ManualClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const { logger, lines: logged } = createTestLogger(0);
  const discovery = new RemoteDiscovery({
    informer,
    clock,
    logger,
    getDocument: async (_apiService, path, { headers = {} }) => {
      asked.push([path, ...Object.values(headers)].join(' '));
      const response = responses[path];
      if (response === undefined) throw new Error('no response');
      return response;
    },
  });
  let changes = 0;
  discovery.onChange(() => changes++);
  discovery.run(stop.signal);
  const shown = () => discovery.groups().map(({ metadata, versions }) => ({ name: metadata.name, versions }));
  return { informer, clock, stop, asked, logged, shown, changes: () => changes };
}

it('selects its group version from aggregated discovery', async () => {
  const { informer, shown } = await start({ '/apis': aggregated });
  informer.put(remote('True'));
  await eventLoopTurns();
  // Servers may leave out kinds, old clients may not.
  const responseKind = { group: '', version: '', kind: '' };
  const versions = [
    { version: 'v1', resources: [{ ...absent, resource: 'things', responseKind }], freshness: 'Current' },
  ];
  expect(shown()).toEqual([{ name: 'r.example.com', versions }]);
});

it('derives the same from the unaggregated documents of older servers', async () => {
  const { informer, shown } = await start({ '/apis': notFound, '/apis/r.example.com/v1': plain });
  informer.put(remote('True'));
  await eventLoopTurns();
  expect(shown()[0]?.versions?.[0]?.resources).toEqual([
    {
      resource: 'things',
      responseKind: { group: '', version: '', kind: 'Thing' },
      scope: 'Namespaced',
      singularResource: 'thing',
      verbs: ['get'],
      shortNames: ['t'],
      subresources: [
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] },
      ],
    },
  ]);
});

it('gives a subresource alone a parent, and is stale where scopes differ', async () => {
  const alone = { name: 'lost/exec', singularName: '', namespaced: true, kind: '', verbs: ['create'] };
  const body = (...resources: object[]) => ({ ...plain, body: JSON.stringify({ resources }) });
  const responses: Record<string, FetchedDocument> = { '/apis': notFound, '/apis/r.example.com/v1': body(alone) };
  const { informer, clock, shown } = await start(responses);
  informer.put(remote('True'));
  await eventLoopTurns();
  const responseKind = { group: '', version: '', kind: '' };
  expect(shown()[0]?.versions?.[0]?.resources).toEqual([
    {
      resource: 'lost',
      scope: 'Namespaced',
      responseKind,
      singularResource: '',
      verbs: null,
      subresources: [{ subresource: 'exec', responseKind, verbs: ['create'] }],
    },
  ]);
  responses['/apis/r.example.com/v1'] = body(alone, { ...alone, name: 'lost/attach', namespaced: false });
  clock.advance(60_000);
  await eventLoopTurns();
  expect(shown()[0]?.versions).toEqual([{ version: 'v1', resources: [], freshness: 'Stale' }]);
});

it.each([
  ['/apis', aggregated],
  ['/apis/r.example.com/v1', plain],
])('is stale where %s has too many values to be read in one turn', async (path, { contentType, ...rest }) => {
  const many = { ...rest, contentType, body: `{"x":[${'{},'.repeat(100_000)}{}]}` };
  const { informer, shown, asked } = await start({ '/apis': notFound, [path]: many });
  informer.put(remote('True'));
  await eventLoopTurns();
  expect(asked.at(-1)).toBe(path);
  expect(shown()[0]?.versions).toEqual([{ version: 'v1', resources: [], freshness: 'Stale' }]);
});

it('is current without resources where the server does not know the version, and takes v2beta1', async () => {
  const beta = {
    ...aggregated,
    contentType: aggregated.contentType.replace('v=v2', 'v=v2beta1'),
    body: '{"items":[]}',
  };
  const { informer, shown } = await start({ '/apis': beta });
  informer.put(remote('False'));
  await eventLoopTurns();
  expect(shown()[0]?.versions).toEqual([{ version: 'v1', resources: [], freshness: 'Current' }]);
});

it('is stale and empty while a server does not respond, soon asks again, and is dropped with its APIService', async () => {
  const responses: Record<string, FetchedDocument> = { '/apis': { ...aggregated, status: 503 } };
  const { informer, clock, shown, changes } = await start(responses);
  informer.put(remote('True'));
  await eventLoopTurns();
  const freshness = () => shown()[0]?.versions?.[0]?.freshness;
  const stale = [{ version: 'v1', resources: [], freshness: 'Stale' }];
  expect(shown()).toEqual([{ name: 'r.example.com', versions: stale }]);
  responses['/apis'] = aggregated;
  clock.advance(500);
  await eventLoopTurns();
  expect(freshness()).toBe('Current');
  delete responses['/apis'];
  clock.advance(60_000);
  await eventLoopTurns();
  expect(shown()).toEqual([{ name: 'r.example.com', versions: stale }]);
  informer.remove('v1.r.example.com');
  expect([shown(), changes()]).toEqual([[], 4]);
});

const malformed = {
  'a text for a list': { resource: 'things', verbs: 'get' },
  'a number for a name': { resource: 5 },
  'an object for a scope': { resource: 'things', scope: {} },
  'a text for a kind': { resource: 'a', responseKind: 'x' },
};

it.each(Object.entries(malformed))('is stale with %s', async (_, resource) => {
  const items = [{ metadata: { name: 'r.example.com' }, versions: [{ version: 'v1', resources: [resource] }] }];
  const { informer, shown } = await start({ '/apis': { ...aggregated, body: JSON.stringify({ items }) } });
  informer.put(remote('True'));
  await eventLoopTurns();
  expect(shown()[0]?.versions).toEqual([{ version: 'v1', resources: [], freshness: 'Stale' }]);
});

it('drops fields that it does not know', async () => {
  const resources = [{ resource: 'things', verbs: ['get'], later: 1 }];
  const items = [{ metadata: { name: 'r.example.com' }, versions: [{ version: 'v1', resources }] }];
  const { informer, shown } = await start({ '/apis': { ...aggregated, body: JSON.stringify({ items }) } });
  informer.put(remote('True'));
  await eventLoopTurns();
  const responseKind = { group: '', version: '', kind: '' };
  expect(shown()[0]?.versions?.[0]?.resources).toEqual([
    { ...absent, resource: 'things', verbs: ['get'], responseKind },
  ]);
});

it('asks a server that fails once a minute, however often its APIService changes', async () => {
  const { informer, clock, asked } = await start({});
  const minute = async () => {
    informer.put(remote('False'));
    for (let step = 0; step < 60; step++) {
      clock.advance(1_000);
      await eventLoopTurns();
    }
  };
  for (let time = 0; time < 10; time++) await minute();
  const before = asked.length;
  await minute();
  // One for the change and one after the pause.
  expect(asked.length - before).toBe(2);
});

it('asks a server that fails after pauses that double, from half a second on, and logs none of it', async () => {
  const { informer, clock, asked, logged } = await start({});
  informer.put(remote('False'));
  await eventLoopTurns();
  for (const pause of [500, 1_000, 2_000, 4_000]) {
    const before = asked.length;
    clock.advance(pause - 1);
    await eventLoopTurns();
    expect(asked.length).toBe(before);
    clock.advance(1);
    await eventLoopTurns();
    expect(asked.length).toBe(before + 1);
  }
  expect(logged).toEqual([]);
});

it('asks again if its APIService changes while the server responds', async () => {
  const { informer, asked } = await start({ '/apis': aggregated });
  informer.put(remote('False'));
  informer.put(remote('True'));
  await eventLoopTurns();
  expect(asked).toEqual(['/apis', '/apis']);
});

it('takes many subresources of one parent', async () => {
  const names = Array.from({ length: 15_000 }, (_, index) => `things/${index}`);
  const resources = names.map((name) => ({ name, singularName: '', namespaced: true, kind: '', verbs: [] }));
  const body = JSON.stringify({ resources });
  const { informer, shown } = await start({ '/apis': notFound, '/apis/r.example.com/v1': { ...plain, body } });
  informer.put(remote('True'));
  await eventLoopTurns();
  expect(shown()[0]?.versions?.[0]?.resources?.[0]?.subresources).toHaveLength(15_000);
});

it('asks for changes of a document with an ETag, one for all versions of a service', async () => {
  const responses: Record<string, FetchedDocument> = { '/apis': { ...aggregated, etag: '"1"' } };
  const { informer, clock, asked, shown } = await start(responses);
  informer.put(remote('True'));
  await eventLoopTurns();
  const first = shown();
  expect(first[0]?.versions).toMatchObject([{ version: 'v1', freshness: 'Current', resources: [{}] }]);
  responses['/apis'] = { status: 304, contentType: '', etag: '', body: '' };
  const other = remote('True');
  informer.put({ ...other, metadata: { name: 'v1.other' }, spec: { ...other.spec, group: 'other' } });
  await eventLoopTurns();
  expect(shown()[1]).toMatchObject({ name: 'other', versions: [{ freshness: 'Current', resources: [] }] });
  responses['/apis'] = notFound;
  clock.advance(60_000);
  await eventLoopTurns();
  const fallbacks = ['/apis/r.example.com/v1 "1"', '/apis/other/v1 "1"'];
  expect(asked.slice(0, 6).sort()).toEqual(['/apis', '/apis "1"', '/apis "1"', '/apis "1"', ...fallbacks].sort());
  for (const name of ['v1.r.example.com', 'v1.other']) informer.remove(name);
  await eventLoopTurns();
  asked.length = 0;
  informer.put(remote('True'));
  await eventLoopTurns();
  expect(asked[0]).toBe('/apis');
});
