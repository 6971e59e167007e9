import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds, ServedKinds } from './served-kinds.ts';

let served: ServedKinds;
beforeAll(async () => {
  served = await ServedKinds.start();
});
afterAll(() => served[Symbol.asyncDispose]());

const badRequest = (message: string) => ({ code: 400, reason: 'BadRequest', message, details: undefined });

function invalid(...causes: readonly (readonly [reason: string, message: string, field: string])[]) {
  const errors = causes.map(([, message, field]) => `${field}: ${message}`);
  return {
    code: 422,
    reason: 'Invalid',
    message: `ListOptions.meta.k8s.io "" is invalid: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`,
    details: {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
      causes: causes.map(([reason, message, field]) => ({ reason, message, field })),
    },
  };
}

const forbidden = (text: string, field = 'resourceVersionMatch') =>
  ['FieldValueForbidden', `Forbidden: ${text}`, field] as const;
const unsupported = (value: string, known: string) =>
  [
    'FieldValueNotSupported',
    `Unsupported value: "${value}": supported values: ${known}`,
    'resourceVersionMatch',
  ] as const;
const withoutVersion = forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided');
const withContinue = forbidden('resourceVersionMatch is forbidden when continue is provided');
const noInitialEvents = forbidden('sendInitialEvents is forbidden for list', 'sendInitialEvents');
const needsNotOlderThan = forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
const ofLists = '"Exact", "NotOlderThan", ""';
const ofWatches = '"NotOlderThan"';
const noVersion = (text: string, problem: string) =>
  `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${problem}`;

describe.each(kinds)('$kind', ({ path }) => {
  it.each([
    ['resourceVersion=-1', badRequest(`invalid resource version: ${noVersion('-1', 'invalid syntax')}`)],
    ['resourceVersion=x', badRequest(`invalid resource version: ${noVersion('x', 'invalid syntax')}`)],
    [
      'resourceVersion=99999999999999999999&fieldSelector=metadata.name%3Da',
      badRequest(`invalid resource version: ${noVersion('99999999999999999999', 'value out of range')}`),
    ],
    ['resourceVersionMatch=Exact', invalid(withoutVersion)],
    ['resourceVersionMatch=Exact&continue=x', invalid(withoutVersion, withContinue)],
    ['resourceVersionMatch=Old', invalid(withoutVersion, unsupported('Old', ofLists))],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      invalid(forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')),
    ],
    ['sendInitialEvents=false', invalid(noInitialEvents)],
    ['sendInitialEvents=1&resourceVersionMatch=NotOlderThan', invalid(withoutVersion, noInitialEvents)],
    ['watch=1&sendInitialEvents=1', invalid(needsNotOlderThan)],
    [
      'watch=1&sendInitialEvents=1&resourceVersionMatch=Exact',
      invalid(needsNotOlderThan, unsupported('Exact', ofWatches)),
    ],
    [
      'watch=1&resourceVersionMatch=NotOlderThan',
      invalid(forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')),
    ],
    ['watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&continue=x', invalid(withContinue)],
    [
      'continue=%20',
      badRequest('invalid continue token: continue key is not valid: illegal base64 data at input byte 0'),
    ],
    [
      'continue=abc',
      badRequest(
        "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
      ),
    ],
    ['limit=x', badRequest('strconv.ParseInt: parsing "x": invalid syntax')],
    ['limit=9223372036854775808', badRequest('strconv.ParseInt: parsing "9223372036854775808": value out of range')],
    ['watch=1&timeoutSeconds=', badRequest('strconv.ParseInt: parsing "": invalid syntax')],
    ['labelSelector=a%20in%20(', badRequest("unable to parse requirement: found '', expected: ',', ')' or identifier")],
    ['labelSelector=a%2C', badRequest("found '', expected: identifier after ','")],
    ['fieldSelector=a', badRequest("invalid selector: 'a'; can't understand 'a'")],
    ['fieldSelector=a%3Db%5C', badRequest('invalid field selector: invalid escape sequence: \\')],
  ])('lists with %s are refused', async (query, refusal) => {
    expect(await served.refusal('GET', `${path}?${query}`)).toEqual(refusal);
  });

  it.each([
    'resourceVersion=9999999',
    'resourceVersion=9999999&resourceVersionMatch=NotOlderThan',
    'resourceVersion=9999999&resourceVersionMatch=Exact',
    'resourceVersion=9999999&limit=1',
  ])('lists of the future with %s are refused in time', { timeout: 30_000 }, async (query) => {
    const { status, headers, body } = await served.client.request('GET', `${path}?${query}`);
    const { message, ...rest } = JSON.parse(body);
    expect([status, headers['retry-after'], rest]).toEqual([
      504,
      '1',
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason: 'Timeout',
        code: 504,
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      },
    ]);
    expect(message).toMatch(/^Timeout: Too large resource version: 9999999, current: \d+$/);
  });

  it.each(['resourceVersionMatch=Exact', 'limit=1'])(
    'one name at exactly a future version is refused at once: %s',
    async (query) => {
      const one = `${path}?fieldSelector=metadata.name%3Da&resourceVersion=9999999&${query}`;
      const { status, headers, body } = await served.client.request('GET', one);
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      expect([status, headers['retry-after'], JSON.parse(body).details]).toEqual([504, undefined, { causes }]);
    },
  );

  it('objects at a version that is none are a plain 500, as upstream', async () => {
    const refusals = ['x', '-1'].map((version) => served.refusal('GET', `${path}/a?resourceVersion=${version}`));
    const reported = (text: string) => ({ code: 500, message: noVersion(text, 'invalid syntax') });
    expect(await Promise.all(refusals)).toEqual([reported('x'), reported('-1')]);
  });

  it.each([
    ['limit=0', 2],
    ['limit=-1', 2],
    ['limit=9223372036854775807', 2],
    ['limit=1', 1],
    ['limit=1&resourceVersion=0', 2],
    ['limit=1&limit=x', 1],
    ['fieldSelector=metadata.name%3Da', 1],
    ['fieldSelector=metadata.name%3D', 0],
    ['fieldSelector=%3D', 2],
    ['fieldSelector=metadata.name%21%3Da%2Cmetadata.namespace%3Dwatched', 1],
    ['fieldSelector=metadata.namespace%3Delsewhere', 0],
    ['labelSelector=name%20in%20(a%2Cc)', 1],
    ['labelSelector=name%20notin%20(a)%2C!x', 1],
    ['watch=0', 2],
    ['watch=False', 2],
    ['unknown=1', 2],
  ])('lists with %s have %i items', async (query, count) => {
    const { status, body } = await served.client.request('GET', `${path}?${query}`);
    expect([status, JSON.parse(body).items?.length]).toEqual([200, count]);
  });

  it('pages have the remaining count, but not with a selector', async () => {
    const metadataOf = async (query: string) =>
      (await served.client.json('GET', `${path}?limit=1${query}`))['metadata'];
    expect([await metadataOf(''), await metadataOf('&labelSelector=name')]).toEqual([
      expect.objectContaining({ remainingItemCount: 1, continue: expect.stringMatching(/./) }),
      expect.not.objectContaining({ remainingItemCount: 1 }),
    ]);
  });

  it('pages of all namespaces go on in one that is selected, and the other way round', async () => {
    const page = async (query: string) => {
      const { items, metadata } = await served.client.json(
        'GET',
        `${path.replace('/namespaces/watched', '')}?${query}`,
      );
      const places = (items as { metadata: { namespace: string; name: string } }[]).map(
        ({ metadata: { namespace, name } }) => `${namespace}/${name}`,
      );
      return { places, next: `continue=${encodeURIComponent((metadata as { continue?: string }).continue ?? '')}` };
    };
    const selected = 'fieldSelector=metadata.namespace%3Dwatched';
    const first = await page(`limit=1&${selected}`);
    const rest = await page(`${selected}&${first.next}`);
    expect([...first.places, ...rest.places]).toEqual(['watched/a', 'watched/b']);
    const { next } = await page('limit=1');
    const later = (await page(next)).places.filter((place) => place.startsWith('watched/'));
    expect([(await page(`${selected}&${next}`)).places, (await page(first.next)).places]).toEqual([
      later,
      ['watched/b'],
    ]);
  });

  it.each([
    ['as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'PartialObjectMetadata'],
    ['as=Table;v=v1;g=meta.k8s.io', 'Table'],
    ['', undefined],
  ])('a watch list in %s ends its initial events with a bookmark of that form', async (as, kind) => {
    const query = 'watch=1&timeoutSeconds=1&allowWatchBookmarks=1&labelSelector=name%3Db';
    const { body } = await served.client.request('GET', `${path}?${query}`, undefined, {
      accept: as === '' ? 'application/json' : `application/json;${as}`,
    });
    const events = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const bookmark = events[1]?.object.rows?.[0].object ?? events[1]?.object;
    expect([events.map(({ type }) => type), bookmark.metadata.annotations]).toEqual([
      ['ADDED', 'BOOKMARK'],
      { 'k8s.io/initial-events-end': 'true' },
    ]);
    if (kind !== undefined) expect(events.map(({ object }) => object.kind)).toEqual([kind, kind]);
  });

  it('a watch from a version that is none is a plain 500, as upstream', async () => {
    expect(await served.refusal('GET', `${path}?watch=1&resourceVersion=x`)).toEqual({
      code: 500,
      message: noVersion('x', 'invalid syntax'),
    });
  });

  it('a watch list from the future ends with an ERROR', { timeout: 30_000 }, async () => {
    const query =
      'watch=1&resourceVersion=9999999&resourceVersionMatch=NotOlderThan&sendInitialEvents=1&timeoutSeconds=10';
    const { status, body } = await served.client.request('GET', `${path}?${query}`);
    const { type, object } = JSON.parse(body);
    expect([status, type, object.code, object.details.causes[0].reason]).toEqual([
      200,
      'ERROR',
      504,
      'ResourceVersionTooLarge',
    ]);
  });

  it.each([
    ['', ['ADDED a', 'ADDED b']],
    ['/a', ['ADDED a']],
  ])('the old path of watches, with %j behind it', async (behind, expected) => {
    const old = `${path.replace(/\/v1\//, '/v1/watch/')}${behind}?timeoutSeconds=1&resourceVersion=0`;
    const { body } = await served.client.request('GET', old);
    const events = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(expected);
  });
});
