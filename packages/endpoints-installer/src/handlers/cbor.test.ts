import * as cbor from '@apiserver/apimachinery/codec/cbor';
import { wrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import { describe, expect, it } from 'vitest';
import { createTestExchange, createTestResponseWriter } from '../testing/test-exchange.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody, serverWithA } from '../testing/write-fixtures.js';

const CBOR = 'application/cbor';
const APPLY = 'application/apply-patch+cbor';
const asKind = (kind: string) => `as=${kind};v=v1;g=meta.k8s.io`;
const accept = (Accept: string) => ({ headers: { Accept } });
const sent = (value: unknown, type = CBOR) => ({
  headers: { Accept: CBOR, 'Content-Type': type },
  body: cbor.encodeCborValue(value),
});
const metadata = { name: 'a', namespace: 'n', uid: 'uid-a', resourceVersion: '1' };

describe('without the gate', () => {
  it.each([
    ['responses', accept(CBOR), 406, 'application/json, application/yaml, application/vnd.kubernetes.protobuf'],
    ['watches', { url: `${CONFIG_MAPS}?watch=1`, ...accept('application/cbor-seq') }, 406, 'protobuf;stream=watch'],
    ['bodies', { method: 'PUT', headers: { 'Content-Type': CBOR } }, 415, 'application/vnd.kubernetes.protobuf'],
    ['configurations', { method: 'PATCH', headers: { 'Content-Type': APPLY } }, 415, '415: Unsupported Media Type'],
    [
      'options',
      { method: 'DELETE', headers: { 'Content-Type': CBOR }, body: cbor.encodeCborValue({}) },
      415,
      'application/vnd.kubernetes.protobuf',
    ],
  ])('refuses %s', async (_, request, status, known) => {
    const response = await serverWithA().call({ url: CONFIG_MAP_A, ...request });
    expect([response.status, JSON.parse(response.text).message.endsWith(known)]).toEqual([status, true]);
  });
});

describe('with the gate', () => {
  const server = serverWithA({ cbor });
  const call = async (request: Parameters<typeof server.call>[0]) => {
    const user = { name: 'u', groups: [], extra: {} };
    const { status, contentType, bytes, warnings } = await server.call({ user, url: CONFIG_MAP_A, ...request });
    return { status, contentType, value: cbor.decodeCborValue(bytes), tagged: cbor.isCborObject(bytes), warnings };
  };

  it('returns objects', async () =>
    expect(await call(accept(CBOR))).toEqual({
      status: 200,
      contentType: CBOR,
      tagged: true,
      warnings: [],
      value: { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { k: '1' } },
    }));

  it('returns lists, whose items have no kind', async () =>
    expect(await call({ url: CONFIG_MAPS, ...accept(CBOR) })).toMatchObject({
      value: {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '1' },
        items: [{ metadata, data: { k: '1' } }],
      },
    }));

  it.each([CBOR, `${CBOR};${asKind('PartialObjectMetadataList')}`])(
    'keeps the items of lists in %s',
    async (Accept) => {
      const own = serverWithA({ cbor });
      const list = async () => Buffer.from((await own.call({ url: CONFIG_MAPS, ...accept(Accept) })).bytes);
      const first = await list();
      const read = own.storage.valuesRead;
      const second = await list();
      expect([first.equals(second), own.storage.valuesRead - read]).toEqual([true, 0]);
    },
  );

  it.each([
    ['PartialObjectMetadata', CONFIG_MAP_A, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }],
    [
      'PartialObjectMetadataList',
      CONFIG_MAPS,
      {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '1' },
        items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }],
      },
    ],
  ])('responds with %s', async (kind, url, value) =>
    expect((await call({ url, ...accept(`${CBOR};${asKind(kind)}`) })).value).toEqual(value),
  );

  it.each([
    [`application/json;q=0.9,${CBOR};q=1`, 200, CBOR],
    [`${CBOR};q=0.5,application/json`, 200, 'application/json'],
    [`${CBOR};${asKind('Table')},application/json`, 200, 'application/json'],
    [`${CBOR};${asKind('Table')}`, 406, 'application/json'],
    ['*/*', 200, 'application/json'],
  ])('responds to %s with %i %s', async (Accept, status, contentType) =>
    expect(await server.call({ url: CONFIG_MAP_A, ...accept(Accept) })).toMatchObject({ status, contentType }),
  );

  it('returns errors in CBOR', async () =>
    expect(await call({ url: `${CONFIG_MAPS}/none`, ...accept(CBOR) })).toMatchObject({
      status: 404,
      contentType: CBOR,
      tagged: true,
      value: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 },
    }));

  it.each([
    ['Strict', 400, []],
    ['Warn', 201, ['cbor: found unknown field at map element index 1']],
    ['Ignore', 201, []],
  ])('takes objects, unknown fields as %s says', async (directive, status, warnings) => {
    const url = `${CONFIG_MAPS}?fieldValidation=${directive}`;
    const body = { ...configMapBody({}, { name: directive.toLowerCase() }), bogus: 1 };
    expect(await call({ method: 'POST', url, ...sent(body) })).toMatchObject({ status, warnings });
  });

  it.each([
    [[], 'the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: '],
    [{ data: { a: 1 } }, 'ConfigMap in version "v1" cannot be handled as a ConfigMap: cbor: cannot unmarshal '],
    [{ kind: 'Pod' }, 'no kind'],
  ])('refuses %o', async (body, message) => {
    const { status, value } = await call({ method: 'POST', url: CONFIG_MAPS, ...sent(body) });
    expect([status, JSON.stringify(value).includes(JSON.stringify(message).slice(1, -1))]).toEqual([400, true]);
  });

  it.each([
    [CBOR, cbor.encodeCborValue({ apiVersion: 'g@/v@', kind: 'A@' })],
    ['application/vnd.kubernetes.protobuf', wrapUnknown({ apiVersion: 'g@/v@', kind: 'A@' }, Buffer.of())],
  ])('quotes each byte of a kind in %s that is no UTF-8', async (type, bytes) => {
    const body = Buffer.from(bytes.map((byte) => (byte === 0x40 ? 0xc3 : byte)));
    const { text } = await server.call({
      method: 'POST',
      url: CONFIG_MAPS,
      headers: { 'Content-Type': type },
      body,
    });
    expect(JSON.parse(text).message).toBe(
      'A\ufffd in version "v\\xc3" cannot be handled as a ConfigMap: no kind "A\\xc3" is registered for version ' +
        '"g\\xc3/v\\xc3" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    );
  });

  it('applies configurations, and mentions YAML for invalid ones', async () => {
    const url = `${CONFIG_MAPS}/applied?fieldManager=m`;
    const configuration = configMapBody({ data: { a: 'b' } }, { name: 'applied' });
    const applied = await call({ method: 'PATCH', url, ...sent(configuration, APPLY) });
    const refused = await call({ method: 'PATCH', url, ...sent([], APPLY) });
    expect([applied.status, applied.value, refused.status, refused.value]).toMatchObject([
      201,
      { data: { a: 'b' }, metadata: { managedFields: [{ operation: 'Apply', manager: 'm' }] } },
      400,
      {
        message: expect.stringMatching(/^error decoding YAML: cbor: cannot unmarshal array into Go value of type map/),
      },
    ]);
  });

  it('accepts options of a delete', async () => {
    const { status, value } = await call({
      method: 'DELETE',
      ...sent({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Sometimes' }),
    });
    expect([status, value]).toMatchObject([422, { details: { causes: [{ field: 'propagationPolicy' }] } }]);
  });

  it('streams a sequence of events', async () => {
    const exchange = createTestExchange({ url: `${CONFIG_MAPS}?watch=1`, ...accept(CBOR) });
    const response = await server.start(exchange);
    const writer = createTestResponseWriter();
    const done = response.type === 'stream' ? response.run(writer) : undefined;
    for (const sink of server.storage.watching) sink.end();
    await done;
    const [first = new Uint8Array()] = writer.chunks;
    expect([exchange.responseHeaders.get('content-type'), cbor.decodeCborValue(first)]).toMatchObject([
      'application/cbor-seq',
      { type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } },
    ]);
  });
});
