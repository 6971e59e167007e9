import { describe, expect, test } from 'vitest';
import { type TestExchangeOptions, testDefinition } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';
import {
  CONFIG_MAP_A,
  CONFIG_MAPS,
  type Refusal,
  recordingChain,
  refusalOf,
  serverWithA,
} from '../testing/write-fixtures.js';

describe('delete', () => {
  const del = (options: TestExchangeOptions = {}) => ({ method: 'DELETE', url: CONFIG_MAP_A, ...options });
  const status =
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":"uid-a"}}\n';

  test('returns a Status', async () => {
    const { text, status: code } = await serverWithA().call(del());
    expect([code, text]).toEqual([200, status]);
  });

  test('names the group in it', async () => {
    const definition = testDefinition({ group: 'g.example.com' });
    const { text } = await serverWithA({ definition }).call(
      del({ url: '/apis/g.example.com/v1/namespaces/n/configmaps/a' }),
    );
    expect(JSON.parse(text).details).toEqual({ name: 'a', group: 'g.example.com', kind: 'configmaps', uid: 'uid-a' });
  });

  test('returns the object where the resource does', async () => {
    const { text } = await serverWithA({ definition: testDefinition({ returnDeletedObject: true }) }).call(del());
    expect(JSON.parse(text).kind).toBe('ConfigMap');
  });

  test.each([
    ['', 200],
    ['?orphanDependents=false', 202],
    ['?orphanDependents=true', 200],
  ])('returns the object while it is not gone%s', async (query, code) => {
    const made = createTestServer();
    made.storage.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'n', finalizers: ['x/y'] },
    });
    const { status: actual, text } = await made.call(del({ url: CONFIG_MAP_A + query }));
    expect([actual, JSON.parse(text).kind]).toEqual([code, 'ConfigMap']);
  });

  test('both phases of admission receive the object to delete', async () => {
    const { admission, seen } = recordingChain();
    await serverWithA({ admission }).call(del({ body: { dryRun: ['All'] } }));
    expect(seen).toEqual(['admit DELETE n/a  a true', 'validate DELETE n/a  a true']);
  });

  test.each<readonly [string, TestExchangeOptions, object]>([
    [
      'query',
      { url: `${CONFIG_MAP_A}?gracePeriodSeconds=3&propagationPolicy=Orphan&dryRun=All&uid=u&resourceVersion=5` },
      {
        gracePeriodSeconds: 3,
        propagationPolicy: 'Orphan',
        dryRun: ['All'],
        preconditions: { uid: 'u', resourceVersion: '5' },
      },
    ],
    [
      'query with the longest grace period',
      { url: `${CONFIG_MAP_A}?gracePeriodSeconds=%2B9223372036854775807` },
      { gracePeriodSeconds: 2n ** 63n - 1n },
    ],
    [
      'JSON',
      {
        url: `${CONFIG_MAP_A}?gracePeriodSeconds=3`,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'u' } },
      },
      { preconditions: { uid: 'u' } },
    ],
    [
      'JSON of a group',
      { body: { kind: 'DeleteOptions', apiVersion: 'apps/v1', orphanDependents: false } },
      { orphanDependents: false },
    ],
    [
      'YAML',
      { headers: { 'Content-Type': 'application/yaml' }, body: 'propagationPolicy: Background' },
      { propagationPolicy: 'Background' },
    ],
    [
      'a value in this process',
      { inProcess: { body: { kind: 'DeleteOptions', apiVersion: 'v1', metadata: {}, preconditions: { uid: 'u' } } } },
      { preconditions: { uid: 'u' } },
    ],
    ['the query, in this process', { inProcess: {}, url: `${CONFIG_MAP_A}?dryRun=All` }, { dryRun: ['All'] }],
  ])('options from %s', async (_, options, expected) => {
    const made = serverWithA();
    const seen: object[] = [];
    const original = made.storage.delete;
    made.storage.delete = (context, name, validate, given) => {
      seen.push(given);
      return original(context, name, validate, given);
    };
    await made.call(del(options));
    expect(seen).toEqual([expected]);
  });

  test.each<Refusal>([
    [
      'dryRun',
      { url: `${CONFIG_MAP_A}?dryRun=Some` },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ],
    [
      'both policies',
      { body: { propagationPolicy: 'Background', orphanDependents: true } },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      'a grace period',
      { url: `${CONFIG_MAP_A}?gracePeriodSeconds=x` },
      400,
      'strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      'a content type',
      { headers: { 'Content-Type': 'text/plain' }, body: 'x' },
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
  ])('refuses a wrong %s', async (_, options, code, message) => {
    expect(await refusalOf(serverWithA(), del(options))).toEqual([code, message]);
  });

  const SCHEME = 'in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"';
  const META =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const UNKNOWN = 'to (v1.DeleteOptions): unknown conversion';

  // Results of k8s.io/apimachinery v0.36.6.
  test.each([
    ['{"kind":"Pod","apiVersion":"v1"}', `no kind "Pod" is registered for version "v1" ${SCHEME}`],
    ['{"kind":"Pod"}', `no kind "Pod" is registered for version "meta.k8s.io/v1" ${SCHEME}`],
    ['{"kind":"ListOptions","apiVersion":"v1"}', `no kind "ListOptions" is registered for version "v1" ${SCHEME}`],
    ['{"kind":"ListOptions","apiVersion":"meta.k8s.io/v1"}', `converting (v1.ListOptions) ${UNKNOWN}`],
    [
      '{"kind":"Pod","apiVersion":"meta.k8s.io/constructor"}',
      `no kind "Pod" is registered for version "meta.k8s.io/constructor" ${SCHEME}`,
    ],
    ['{"kind":"CreateOptions","apiVersion":"apps/v1"}', `converting (v1.CreateOptions) ${UNKNOWN}`],
    ['{"kind":"Status","apiVersion":"v1"}', `converting (v1.Status) ${UNKNOWN}`],
    ['{"kind":"DeleteOptions","apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c'],
    ['{"apiVersion":"batch/"}', `Object 'apiVersion' is missing in '{"apiVersion":"batch/"}'`],
    ['[]', `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${META}`],
    ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [
      '{"kind":5}',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [
      '{"gracePeriodSeconds":"x"}',
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      '{"gracePeriodSeconds":1.5}',
      'json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      '{"preconditions":[]}',
      'json: cannot unmarshal array into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
    ],
    [
      '{"kind":"DeleteOptions"}x',
      "couldn't get version/kind; json parse error: invalid character 'x' after top-level value",
    ],
  ])('says why a body is no DeleteOptions: %s', async (body, message) => {
    expect(await refusalOf(serverWithA(), del({ body }))).toEqual([400, message]);
  });

  test.each(['null', '{}', '{"apiVersion":"v1"}', '{"unknown":5}', '{"kind":"DeleteOptions","apiVersion":"nope/v9"}'])(
    'accepts a body of %s',
    async (body) => {
      expect((await serverWithA().call(del({ body }))).status).toBe(200);
    },
  );
});

describe('deletecollection', () => {
  test('returns the list of deleted objects', async () => {
    const { admission, seen } = recordingChain();
    const made = serverWithA({ admission });
    const { status, text } = await made.call({ method: 'DELETE', url: `${CONFIG_MAPS}?labelSelector=` });
    expect([status, JSON.parse(text).kind, JSON.parse(text).items.length, seen]).toEqual([
      200,
      'ConfigMapList',
      1,
      ['admit DELETE n/  a false', 'validate DELETE n/  a false'],
    ]);
  });

  test.each<Refusal>([
    [
      'selector',
      { url: `${CONFIG_MAPS}?labelSelector=,,` },
      400,
      "found ',', expected: !, identifier, or 'end of string'",
    ],
    [
      'option',
      { url: `${CONFIG_MAPS}?propagationPolicy=Nope` },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
  ])('refuses a wrong %s', async (_, options, code, message) => {
    expect(await refusalOf(serverWithA(), { method: 'DELETE', ...options })).toEqual([code, message]);
  });
});
