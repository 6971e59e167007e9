import { Buffer } from 'node:buffer';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { findCondition } from '../custom-resource-definition/types.js';
import {
  byWebhook,
  content,
  converting,
  define,
  expected,
  fixture,
  type Json,
  merge,
  pathOf,
  reviewOf,
  send,
  service,
  storedObject,
  storeIn,
  storeKey,
  useConversionServer,
} from '../testing/conversion-server.js';
import {
  type Conversion,
  convertMultiVersion,
  MULTI_VERSION,
  multiVersion,
  multiVersionObject,
  VERSIONS,
} from '../testing/multi-version.js';

useConversionServer();

describe('a webhook', () => {
  beforeEach(() => define('v1beta1', byWebhook()));

  it.each(VERSIONS)('converts an object that is created as %s', async (version) => {
    const created = await send('POST', pathOf(version), multiVersionObject(version, 'a', { foo: 'garbage' }));
    expect([created.code, content(created.json)]).toEqual([201, expected(version)]);
    expect(content((await storedObject('a')) ?? {})).toEqual(expected('v1beta1'));
    for (const other of VERSIONS) {
      const { json } = await send('GET', pathOf(other, 'a'));
      expect(content(json)).toEqual(expected(other));
      expect(json).not.toHaveProperty('foo');
    }
    const paths = [pathOf(version, 'a'), pathOf(version, 'a', 'status')];
    for (const path of paths) {
      const annotations = { [path.endsWith('status') ? 'status' : 'main']: 'true' };
      const { code, json } = await send('PATCH', path, { metadata: { annotations } }, merge);
      expect([code, content(json)]).toEqual([200, expected(version)]);
      expect(content((await storedObject('a')) ?? {})).toEqual(expected('v1beta1'));
    }
  });

  it('receives a review with the objects, and not those of the desired version', async () => {
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'b'));
    const before = fixture.webhook.requests.length;
    const { json } = await send('GET', pathOf('v1beta2'));
    const [request, ...others] = fixture.webhook.requests.slice(before);
    const review = request && reviewOf(request);
    expect(json['items'].map(content)).toEqual([expected('v1beta2'), expected('v1beta2')]);
    expect({ url: request?.url, others, apiVersion: review?.apiVersion, ...review?.request }).toEqual({
      url: '/convert?timeout=30s',
      others: [],
      apiVersion: 'apiextensions.k8s.io/v1',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      desiredAPIVersion: 'stable.example.com/v1beta2',
      objects: [await storedObject('a'), await storedObject('b')],
    });
  });

  it('is not called for the storage version', async () => {
    const before = fixture.webhook.requests.length;
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    await send('PATCH', pathOf('v1beta1', 'a'), { num: { num1: 2 } }, merge);
    const { json } = await send('GET', pathOf('v1beta1'));
    expect([json['items'].length, fixture.webhook.requests.length - before]).toEqual([1, 0]);
  });

  it('changes the replicas of a scale in any version', async () => {
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a', { spec: { replicas: 1 } }));
    const scaled = await send('PATCH', pathOf('v1beta2', 'a', 'scale'), { spec: { replicas: 3 } }, merge);
    expect([scaled.code, scaled.json['spec'], (await storedObject('a'))?.['spec']]).toEqual([
      200,
      { replicas: 3 },
      { replicas: 3 },
    ]);
  });

  it('keeps integers that a double cannot hold', async () => {
    const object = JSON.stringify(multiVersionObject('v1beta2', 'a')).replace('1000000', '9007199254740993');
    const created = await fixture.server.ask({ method: 'POST', path: pathOf('v1beta2'), body: object });
    const { kv } = await fixture.server.store.get(storeKey('a'));
    // The test's own webhook parses with JSON.parse, which rounds.
    expect([
      created.code,
      Buffer.from(kv?.value ?? [])
        .toString()
        .includes('900719925474099'),
    ]).toEqual([201, true]);
    expect(fixture.webhook.requests.at(-2)?.body ?? '').toContain('9007199254740993');
  });

  it('leaves other writes of the same object to their order', async () => {
    await send('POST', pathOf('v1beta2'), multiVersionObject('v1beta2', 'a'));
    const writes = Array.from({ length: 10 }, (_, i) =>
      send('PATCH', pathOf(VERSIONS[i % 3] ?? '', 'a'), { metadata: { annotations: { [`n${i}`]: 'x' } } }, merge),
    );
    expect((await Promise.all(writes)).map(({ code }) => code)).toEqual(Array(10).fill(200));
    const { json } = await send('GET', pathOf('v1beta2', 'a'));
    expect(Object.keys((json['metadata'] as { annotations: object }).annotations).sort()).toEqual(
      Array.from({ length: 10 }, (_, i) => `n${i}`),
    );
  });
});

describe('defaults', () => {
  it.each(VERSIONS)(
    'of an object that is created as %s are those of that version and of the stored one',
    async (version) => {
      await define('v1beta1', byWebhook());
      const defaultsOf = ({ defaults = {} }: Json) => Object.keys(defaults as object).sort();
      const created = await send('POST', pathOf(version), multiVersionObject(version, 'a', { defaults: {} }));
      const both = [...new Set([version, 'v1beta1'])].sort();
      expect([defaultsOf(created.json), defaultsOf((await storedObject('a')) ?? {})]).toEqual([both, [version]]);
      for (const other of VERSIONS) {
        expect(defaultsOf((await send('GET', pathOf(other, 'a'))).json)).toEqual(both);
      }
    },
  );

  it('of the version of a status update do not reach the rest of the object', async () => {
    await define('v1beta1', byWebhook());
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a', { defaults: {} }));
    const { json } = await send('GET', pathOf('v1alpha1', 'a'));
    const updated = await send('PUT', `${pathOf('v1alpha1', 'a')}/status`, { ...json, status: { replicas: 2 } });
    const expected = { defaults: { v1beta1: true }, status: { replicas: 2 } };
    expect(updated.json).toMatchObject(expected);
    expect(updated.json['defaults']).toEqual(expected.defaults);
    expect((await storedObject('a'))?.['defaults']).toEqual(expected.defaults);
  });
});

describe('a dry run', () => {
  it('responds with what the stored version keeps, as the write does', async () => {
    await define('v1beta1', byWebhook());
    // The webhook loses a field on the way to the stored version.
    fixture.respond = converting((object, apiVersion) => {
      const { num, ...rest } = convertMultiVersion(object, apiVersion);
      return { ...rest, ...(num !== undefined && { num: { num1: (num as Json)['num1'] } }) };
    });
    const object = multiVersionObject('v1beta2', 'a');
    const kept = { ...expected('v1beta2'), numv2: { num1: 1 } };
    const apply = 'application/apply-patch+yaml';
    for (const [method, name, query, type] of [
      ['POST', '', '', 'application/json'],
      ['PATCH', 'a', '', merge],
      ['PATCH', 'a', '&fieldManager=test&force=true', apply],
    ] as const) {
      const dry = await send(method, `${pathOf('v1beta2', name)}?dryRun=All${query}`, object, type);
      const written = await send(method, `${pathOf('v1beta2', name)}?pretty=false${query}`, object, type);
      expect([method, content(dry.json), content(written.json)]).toEqual([method, kept, kept]);
    }
  });
});

describe('a watch', () => {
  it('has the events of its version, in their order', async () => {
    await define('v1beta1', byWebhook());
    const gvr = { group: 'stable.example.com', version: 'v1beta2', resource: 'multiversion' };
    const client = fixture.server.loopbackClient.resource<KubeObject>(gvr);
    const watch = await client.watch('ns', { resourceVersion: (await client.list('ns')).resourceVersion });
    const events: string[] = [];
    const converted: unknown[] = [];
    watch.start({
      event: ({ type, object }) => {
        const seen = (object as StoredObject<KubeObject>).object;
        events.push(`${type} ${seen.metadata.name} ${seen.metadata.annotations?.['n'] ?? ''}`.trim());
        converted.push(content(seen as unknown as Json));
      },
      end: () => {},
    });
    const wanted: string[] = [];
    for (let i = 0; i < 5; i++) {
      await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', `w${i}`));
      await send('PATCH', pathOf('v1alpha1', `w${i}`), { metadata: { annotations: { n: `${i}` } } }, merge);
      await send('DELETE', pathOf('v1beta2', `w${i}`));
      wanted.push(`ADDED w${i}`, `MODIFIED w${i} ${i}`, `DELETED w${i} ${i}`);
    }
    await expect.poll(() => events).toEqual(wanted);
    expect(converted).toEqual(Array(15).fill(expected('v1beta2')));
  });
});

describe('the version of reviews', () => {
  it.each([
    [['v1', 'v1beta1'], 'apiextensions.k8s.io/v1'],
    [['v1beta1', 'v1'], 'apiextensions.k8s.io/v1beta1'],
    [['v7', 'v1beta1'], 'apiextensions.k8s.io/v1beta1'],
  ])('is the first of %j that this server knows', async (versions, apiVersion) => {
    await define('v1beta1', byWebhook(versions));
    await send('POST', pathOf('v1beta2'), multiVersionObject('v1beta2', 'a'));
    const request = fixture.webhook.requests.at(-1);
    expect(request && reviewOf(request).apiVersion).toBe(apiVersion);
  });

  it('is not checked in responses of v1beta1', async () => {
    await define('v1beta1', byWebhook(['v1beta1']));
    fixture.respond = (request) => {
      const { response } = converting(convertMultiVersion)(request) as { response: Json };
      return { response: { ...response, uid: 'other' } };
    };
    expect((await send('POST', pathOf('v1beta2'), multiVersionObject('v1beta2', 'a'))).code).toBe(201);
  });
});

describe('a caBundle', () => {
  it('that is invalid keeps a definition from being established, until it is repaired', async () => {
    const caBundle = Buffer.from('Cg==').toString('base64');
    const conversion = (more: object) => byWebhook(['v1'], { service, ...more }) as Conversion;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const created = await send('POST', path, multiVersion('v1beta1', conversion({ caBundle })));
    const condition = async () => {
      const { json } = await send('GET', `${path}/${MULTI_VERSION}`);
      const { status, reason } = findCondition(json as CustomResourceDefinition, 'Established') ?? {};
      return [status, reason];
    };
    await expect.poll(condition).toEqual(['False', 'InvalidCABundle']);
    const { json } = await send('GET', `${path}/${MULTI_VERSION}`);
    const { spec } = multiVersion('v1beta1', conversion({}));
    const repaired = await send('PUT', `${path}/${MULTI_VERSION}`, { ...json, spec });
    expect([created.code, repaired.code]).toEqual([201, 200]);
    await expect.poll(condition).toEqual(['True', 'InitialNamesAccepted']);
  });
});

describe('objects at rest', () => {
  it.each(['Webhook', 'None'])('in several versions are read as they were written (%s)', async (strategy) => {
    const conversion = strategy === 'None' ? ({ strategy: 'None' } as const) : byWebhook();
    const versions = strategy === 'None' ? (['v1alpha1', 'v1beta1'] as const) : VERSIONS;
    await define('v1beta1', conversion);
    for (const version of versions) {
      await storeIn(version, conversion as ReturnType<typeof byWebhook>);
      await send('POST', pathOf(version), multiVersionObject(version, `as-${version}`));
    }
    for (const version of versions) {
      expect(content((await storedObject(`as-${version}`)) ?? {})).toEqual(expected(version));
      const { json } = await send('GET', pathOf(version));
      expect(json['items'].map(content)).toEqual(versions.map(() => expected(version)));
    }
  });

  it('are rewritten in the storage version by an update that changes nothing', async () => {
    await define('v1beta1', byWebhook());
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    await storeIn('v1beta2');
    expect((await storedObject('a'))?.['apiVersion']).toBe('stable.example.com/v1beta1');
    const first = await send('PATCH', pathOf('v1beta1', 'a'), {}, merge);
    const { resourceVersion } = first.json['metadata'] as { resourceVersion: string };
    expect(content((await storedObject('a')) ?? {})).toEqual(expected('v1beta2'));
    const second = await send('PATCH', pathOf('v1beta1', 'a'), {}, merge);
    expect((second.json['metadata'] as { resourceVersion: string }).resourceVersion).toBe(resourceVersion);
  });

  it('are pruned when they are read', async () => {
    await define('v1beta1', byWebhook());
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    await storeIn('v1beta1');
    const { kv } = await fixture.server.store.get(storeKey('a'));
    const garbage = { ...((await storedObject('a')) ?? {}), foo: 'garbage' };
    await fixture.server.store.commit({
      type: 'put',
      key: storeKey('a'),
      value: Buffer.from(JSON.stringify(garbage)),
      expectedRevision: kv?.modRevision ?? 0,
    });
    // A change of the definition lets the server distrust what is stored.
    await storeIn('v1alpha1');
    for (const version of VERSIONS) {
      const { json } = await send('GET', pathOf(version, 'a'));
      expect([content(json), json['foo']]).toEqual([expected(version), undefined]);
    }
  });
});
