import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServedKinds } from './served-kinds.ts';

let served: ServedKinds;
beforeAll(async () => {
  served = await ServedKinds.start(['--disable-admission-plugins=ServiceAccount']);
  const { client } = served;
  // No server responds there: TEST-NET-1.
  const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
  await client.request('POST', '/api/v1/nodes', { metadata: { name: 'node' }, status: { addresses } });
  const [c1, c2, i1] = ['c1', 'c2', 'i1'].map((name) => ({ name, image: 'x' }));
  for (const [name, spec] of Object.entries({
    one: { nodeName: 'node', containers: [c1] },
    two: { nodeName: 'node', containers: [c1, c2], initContainers: [i1] },
    waiting: { containers: [c1] },
  }))
    await client.request('POST', '/api/v1/namespaces/watched/pods', { metadata: { name }, spec });
  const spec = { ports: [{ name: 'http', port: 80 }] };
  await client.request('POST', '/api/v1/namespaces/watched/services', { metadata: { name: 'service' }, spec });
});
afterAll(() => served[Symbol.asyncDispose]());

const choose = (pod: string, names: string) =>
  `a container name must be specified for pod ${pod}, choose one of: [${names}]`;
const notPositive = (value: number) => `Invalid value: ${value}: must be greater than 0`;
const invalid = (errors: string) => `PodLogOptions "one" is invalid: ${errors}`;
const integer = (text: string) => `strconv.ParseInt: parsing "${text}": invalid syntax`;
const noPort = (text: string, problem: string) =>
  `cannot convert to []int32: strconv.ParseUint: parsing "${text}": ${problem}`;
const NOT_ALLOWED = 'the server does not allow this method on the requested resource';

describe('a connection to a pod', () => {
  it.each([
    ['GET', 'two/log', 400, choose('two', 'i1 c1 c2')],
    ['GET', 'one/log?container=no', 400, 'container no is not valid for pod one'],
    ['GET', 'none/log', 404, 'pods "none" not found'],
    ['GET', 'one/log?tailLines=-1', 422, invalid('tailLines: Invalid value: -1: must be greater than or equal to 0')],
    ['GET', 'one/log?limitBytes=0', 422, invalid(`limitBytes: ${notPositive(0)}`)],
    [
      'GET',
      'one/log?sinceSeconds=0&limitBytes=-5',
      422,
      invalid(`[limitBytes: ${notPositive(-5)}, sinceSeconds: ${notPositive(0)}]`),
    ],
    [
      'GET',
      'one/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z',
      422,
      invalid('[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'),
    ],
    ['GET', 'one/log?stream=Stdout', 422, invalid('stream: Forbidden: may not be specified')],
    ['GET', 'one/log?tailLines=x', 400, integer('x')],
    ['GET', 'one/log?sinceTime=x', 400, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['POST', 'one/log', 405, NOT_ALLOWED],
    ['POST', 'one/exec?command=ls', 400, 'Upgrade request required'],
    ['POST', 'two/exec?command=ls', 400, choose('two', 'i1 c1 c2')],
    ['POST', 'one/exec?container=no', 400, 'container no is not valid for pod one'],
    ['GET', 'waiting/exec', 400, 'pod waiting does not have a host assigned'],
    ['POST', 'none/exec', 404, 'pods "none" not found'],
    ['POST', 'one/exec?dryRun=All', 400, 'dryRun is not supported'],
    ['PUT', 'one/exec', 405, NOT_ALLOWED],
    ['POST', 'two/attach?stdin=1', 400, choose('two', 'i1 c1 c2')],
    ['POST', 'one/attach', 400, 'Upgrade request required'],
    ['POST', 'one/portforward?ports=x', 400, noPort('x', 'invalid syntax')],
    ['POST', 'one/portforward?ports=70000', 400, noPort('70000', 'value out of range')],
    ['GET', 'waiting/portforward', 400, 'pod waiting does not have a host assigned'],
    ['GET', 'one/proxy/', 400, 'address not allowed'],
    ['GET', 'ftp:one:80/proxy/', 400, 'invalid pod request "ftp:one:80"'],
    ['PATCH', 'a:b:c:d/proxy/', 400, 'invalid pod request "a:b:c:d"'],
  ])('%s %s', async (method, path, code, message) => {
    const { code: reported, message: text } = await served.refusal(method, `/api/v1/namespaces/watched/pods/${path}`);
    expect([reported, text]).toEqual([code, message]);
  });

  it('that is not on a node yet has no log: a response without content', async () => {
    const { status, body } = await served.client.request('GET', '/api/v1/namespaces/watched/pods/waiting/log');
    expect([status, body]).toEqual([204, '']);
  });

  it('has a log in every media type of objects, and in no other', async () => {
    const path = '/api/v1/namespaces/watched/pods/none/log';
    const [text, html] = await Promise.all(
      ['text/plain', 'text/html'].map((accept) => served.refusal('GET', path, { accept })),
    );
    const objects = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect([text?.message, html?.message]).toEqual([
      `only the following media types are accepted: ${objects}`,
      `406: Not Acceptable\n\nAvailable representations: text/plain, ${objects}`,
    ]);
  });
});

describe('a connection', () => {
  it.each([
    ['namespaces/watched/services/service/proxy/', 404, 'services "service" not found'],
    ['namespaces/watched/services/none:http/proxy/', 404, 'services "none" not found'],
    ['namespaces/watched/services/service:99/proxy/', 503, 'no service port 99 found for service "service"'],
    ['namespaces/watched/services/a:b:c:d/proxy/', 400, 'invalid service request "a:b:c:d"'],
    ['nodes/none/proxy/', 404, 'nodes "none" not found'],
    ['nodes/node:x/proxy/', 503, 'error trying to reach service: dial tcp: lookup tcp/x: unknown port'],
    ['nodes/node:99999/proxy/', 503, 'error trying to reach service: dial tcp: address 99999: invalid port'],
  ])('to %s', async (path, code, message) => {
    const { code: reported, message: text } = await served.refusal('GET', `/api/v1/${path}`);
    expect([reported, text]).toEqual([code, message]);
  });
});
