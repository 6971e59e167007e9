import type { APIService } from '@apiserver/api/apiregistration/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Handler } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { createInProcessExchange } from '@apiserver/generic-server/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, vi } from 'vitest';
import { localApiService } from '../registration/desired-api-service.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { RemoteOpenApi } from './remote-open-api.js';

function remote(status: string, version = 'v1'): APIService {
  const local = localApiService({ group: 'r.example.com', version }, { group: 5, version: 5 }, 'true');
  const service = { namespace: 'ns', name: 's', port: 443 };
  return { ...local, spec: { ...local.spec, service }, status: { conditions: [{ type: 'Available', status }] } };
}

const handler: Handler = () => ({ type: 'bytes', status: 200, body: undefined });
const NAME = 'apis/r.example.com/v1';

/** Runs until `stop` aborts. `after` gives the documents after some milliseconds. */
function following(documents: RemoteOpenApi, clock: ManualClock) {
  let count = 0;
  documents.onChange(() => count++);
  const stop = new AbortController();
  documents.run(stop.signal);
  const after = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await eventLoopTurns();
    return documents.urls();
  };
  return { after, stop, changes: () => count };
}

it('lists the documents of available servers, passes requests on to them, and keeps a list until its APIService is gone', async () => {
  const informer = new ControlledInformer<APIService>();
  const clock = new ManualClock();
  const asked: unknown[] = [];
  let body: string | undefined = JSON.stringify({ Paths: { [NAME]: { serverRelativeUrl: '/x?hash=1' } } });
  const documents = new RemoteOpenApi({
    informer,
    clock,
    logger: silentLogger,
    getDocument: async (_apiService, path, { user }) => {
      asked.push([path, user?.name]);
      if (body === undefined) throw new Error('no response');
      return { status: 200, contentType: 'application/json', etag: '', body };
    },
    passTo: ({ metadata }) => (metadata.name === 'v1.r.example.com' ? handler : undefined),
  });
  const { after, changes, stop } = following(documents, clock);

  informer.put(remote('False'));
  expect([[...(await after(1_000))], asked, documents.handlerFor(NAME)]).toEqual([[], [], undefined]);
  informer.put(remote('True'));
  expect([...(await after(1_000))]).toEqual([[NAME, '/x?hash=1']]);
  expect([asked, documents.handlerFor(NAME), documents.handlerFor('apis/other')]).toEqual([
    [['/openapi/v3', 'system:aggregator']],
    handler,
    undefined,
  ]);
  const many = `{"paths":{},"x":[${'{},'.repeat(100_000)}{}]}`;
  for (const broken of [undefined, many, '{', 'null', '{"paths":"many"}', '{"paths":[{}]}', '{"paths":{"a":"x"}}']) {
    body = broken;
    expect([...(await after(60_000))]).toEqual([[NAME, '/x?hash=1']]);
  }
  informer.remove('v1.r.example.com');
  expect([[...(await after(0))], documents.handlerFor(NAME), changes()]).toEqual([[], undefined, 2]);
  stop.abort();
});

it('gives a document that two servers list the URL of the server that serves it', async () => {
  const informer = new ControlledInformer<APIService>();
  const clock = new ManualClock();
  const stop = new AbortController();
  const documents = new RemoteOpenApi({
    informer,
    clock,
    logger: silentLogger,
    getDocument: async ({ metadata: { name } }) => {
      const body = JSON.stringify({ paths: { [NAME]: { serverRelativeURL: `/of-${name}` } } });
      return { status: 200, contentType: 'application/json', etag: '', body };
    },
    passTo:
      ({ metadata }) =>
      () => ({ type: 'bytes', status: 200, body: Buffer.from(`/of-${metadata.name}`) }),
  });
  documents.run(stop.signal);
  for (const version of ['v1', 'v2']) informer.put(remote('True', version));
  clock.advance(1_000);
  await eventLoopTurns();
  const response = await documents.handlerFor(NAME)?.(createInProcessExchange({ url: `/openapi/v3/${NAME}` }));
  expect(response).toMatchObject({ body: Buffer.from(documents.urls().get(NAME) ?? '') });
  stop.abort();
});

it('serves the converted document of a server without version 3, and asks for changes of it', async () => {
  const informer = new ControlledInformer<APIService>();
  const clock = new ManualClock();
  const asked: unknown[] = [];
  let version2 = { status: 404, etag: '', body: '' };
  const documents = new RemoteOpenApi({
    informer,
    clock,
    logger: silentLogger,
    passTo: () => undefined,
    getDocument: async (_apiService, path, { headers = {} }) => {
      asked.push([path, ...Object.values(headers)]);
      if (path === '/openapi/v3') return { status: 404, contentType: '', etag: '', body: '' };
      return { contentType: 'application/json', ...version2 };
    },
  });
  const { after, changes, stop } = following(documents, clock);
  const served = async () => {
    const response = await documents.handlerFor(NAME)?.(createInProcessExchange({ url: `/openapi/v3/${NAME}` }));
    return response?.type === 'bytes' && JSON.parse(Buffer.from(response.body ?? '').toString());
  };

  informer.put(remote('True'));
  expect([(await after(1_000)).get(NAME), documents.handlerFor(NAME)]).toEqual([undefined, undefined]);
  const definition = (type: string) => JSON.stringify({ swagger: '2.0', definitions: { A: { type } } });
  version2 = { status: 200, etag: '"1"', body: definition('string') };
  // The code of the converter is loaded with the first document.
  clock.advance(60_000);
  await vi.waitFor(() => expect(documents.urls().size).toBe(1), 30_000);
  const first = documents.urls().get(NAME);
  expect(first).toMatch(new RegExp(`^/openapi/v3/${NAME}[?]hash=[0-9A-F]{128}$`));
  const openapi = (type: string) => ({ openapi: '3.0.0', info: null, components: { schemas: { A: { type } } } });
  expect(await served()).toEqual(openapi('string'));
  version2 = { status: 304, etag: '"1"', body: '' };
  expect([(await after(60_000)).get(NAME), await served()]).toEqual([first, openapi('string')]);
  version2 = { status: 200, etag: '', body: '{' };
  expect([(await after(60_000)).get(NAME), await served()]).toEqual([first, openapi('string')]);
  version2 = { status: 200, etag: '', body: definition('integer') };
  expect([(await after(60_000)).get(NAME) === first, await served(), changes()]).toEqual([
    false,
    openapi('integer'),
    2,
  ]);
  expect(asked).toEqual([
    ['/openapi/v3'],
    ...[['/openapi/v2'], ['/openapi/v2'], ['/openapi/v2', '"1"'], ['/openapi/v2', '"1"'], ['/openapi/v2', '"1"']],
  ]);
  informer.remove('v1.r.example.com');
  expect([(await after(0)).get(NAME), documents.handlerFor(NAME)]).toEqual([undefined, undefined]);
  informer.put(remote('True'));
  await after(1_000);
  expect(asked.slice(-2)).toEqual([['/openapi/v3'], ['/openapi/v2']]);
  stop.abort();
});
