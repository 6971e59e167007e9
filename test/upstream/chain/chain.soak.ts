import { afterAll, beforeAll, describe, it } from 'vitest';
import { modulesMissing } from '../../envtest/go-tests.ts';
import { startAggregated } from '../backends/aggregated-servers.ts';
import { compareCases } from '../compare-cases.ts';
import { type LiveRequest, type LiveResponse, type LiveServer, START_DEADLINE_MS } from '../live-servers.ts';
import { upstreamFolder } from '../upstream-folder.ts';
import { makeChainFixtures } from './chain-fixtures.ts';
import { randomChainRequest } from './random-chain-request.ts';

const missing = modulesMissing(upstreamFolder);

describe.skipIf(missing !== undefined)(`chain of servers${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let theirs: LiveServer;
  let ours: LiveServer;

  beforeAll(async () => {
    const started = await startAggregated(stack, 'chain');
    ({ theirs, ours } = started);
    await makeChainFixtures(ours, started.backends);
    await makeChainFixtures(theirs, started.backends);
  }, START_DEADLINE_MS);
  afterAll(() => stack.disposeAsync());

  it('answers as that of upstream', () =>
    compareCases<{ readonly request: LiveRequest }, unknown>(
      { ask: (_, one) => answer(theirs, (one as { request: LiveRequest }).request) as never },
      {
        area: 'the chain',
        randomCase: (random) => ({ request: randomChainRequest(random) }),
        atOnce: 20,
        mostAsked: 3,
        ours: ({ request }) => answer(ours, request),
        difference: (their, our) =>
          isPanic(their) || JSON.stringify(their) === JSON.stringify(our) ? undefined : { theirs: their, ours: our },
      },
    ));
});

/** Upstream's handlers panic at custom resources in protobuf, and its metrics at texts that are no UTF-8. */
function isPanic(answered: unknown): boolean {
  return /NGHTTP2_INTERNAL_ERROR/.test(JSON.stringify(answered));
}

async function answer(server: LiveServer, request: LiveRequest): Promise<unknown> {
  try {
    return comparable(await server.send(request), request);
  } catch (error) {
    return { error: String(error) };
  }
}

function comparable({ status, headers, body, isCut }: LiveResponse, { path }: LiveRequest): unknown {
  const {
    ':status': _,
    date: _date,
    'content-length': _length,
    'last-modified': _modified,
    'audit-id': id,
    etag,
    'process-start-time-unix': _start,
    ...rest
  } = headers;
  const shown = {
    ...rest,
    etag: etag && 'ETAG',
    id: typeof id === 'string' ? id.replace(/^[0-9a-f-]{36}(?=$|,)/, 'random') : id,
  };
  // Documented: ours can be kept.
  const isIndex = /^\/openapi\/v3\/?(?:\?|$)/.test(path);
  if (isIndex) Object.assign(shown, { 'content-type': '', etag: '' });
  const sorted = Object.fromEntries(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { status, headers: sorted, isCut, body: comparableBody(body, String(headers['content-type']), path) };
}

/** The servers have other built-in groups, resources and paths: lists of those are compared by their form alone. */
function comparableBody(body: Buffer, type: string, path: string): unknown {
  const text = body.toString();
  if (body[0] === 0x1f || (type.includes('protobuf') && body.length > 0)) return 'binary';
  if (/^\/+(?:openapi|version|metrics|debug|healthz|livez|readyz|logs)/.test(path)) return text.slice(0, 1);
  // An address of the server is not known from outside.
  if (/^\/api(?:\/*(?:\?|$)|\/v1\/*(?:\?|$))/.test(path) && !text.includes('Failure')) return text.slice(0, 1);
  if (/^\/apis\/?(?:\?|$)/.test(path) && !text.startsWith('{')) return text.slice(0, 1);
  if (!/^[{[]/.test(text))
    return text
      .replace(/(?<=unable to determine kind and namespace from url, ).*/, 'URL')
      .replace(/in scheme "\S+"/, 'in scheme')
      .replaceAll(/(uid|creationTimestamp|resourceVersion|time): .*/g, '$1');
  try {
    return text
      .trimEnd()
      .split('\n{')
      .map((line, at) => JSON.parse(at === 0 ? line : `{${line}`, comparableMember));
  } catch {
    return text;
  }
}

/** Members of lists in discovery that both servers have. */
const isComparable = (one: unknown): boolean => /example.com/.test(JSON.stringify(one) ?? '');

const CHANGING = [
  'uid',
  'creationTimestamp',
  'resourceVersion',
  'lastTransitionTime',
  'deletionTimestamp',
  'managedFields',
];

function comparableMember(name: string, value: unknown): unknown {
  if (CHANGING.includes(name)) return name;
  // A program that is built with modules names its schemes by other files, and this one has no internal types.
  if (name === 'message' && typeof value === 'string')
    return value.replace(/in scheme \S+$/, 'in scheme').replace('*core.', '*v1.');
  // Upstream's ConfigMaps have other columns here.
  if (name === 'columnDefinitions' || name === 'rows') return name;
  if (['paths', 'groups', 'resources', 'items'].includes(name) && Array.isArray(value))
    return value.filter(isComparable);
  // Go's transport looks whether a body of unknown length is empty.
  if (name === 'transfer-encoding') return undefined;
  if (name === 'accept-encoding' && Array.isArray(value)) return value[0] === 'gzip' ? undefined : value;
  if ((name === 'audit-id' || name === 'traceparent') && Array.isArray(value)) return name;
  return value;
}
