import { newAlreadyExists, newForbidden, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { MemoryLoopbackClient } from '../testing/index.js';
import { EnsuredNamespaces } from './ensure-namespace.js';

const NAMESPACES = { group: '', resource: 'namespaces' };
const forbidden = () => newForbidden(NAMESPACES, 'a', 'no');

/** The calls of one `ensure`, and its error; calls fail as given. */
async function ensured(failures: Readonly<Record<string, Error>>, exists = false): Promise<readonly string[]> {
  const client = new MemoryLoopbackClient();
  if (exists) await client.resource({ ...NAMESPACES, version: 'v1' }).create('', namespace);
  client.calls.length = 0;
  client.before = (call) => {
    const error = failures[call.split(' ')[0] ?? ''];
    if (error !== undefined) throw error;
  };
  const outcome = await new EnsuredNamespaces(client).ensure('a').then(
    () => 'done',
    ({ message }: Error) => message,
  );
  return [...client.calls, outcome];
}

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } };
const [get, create] = ['get namespaces /a', 'create namespaces /a'];

it.each<[string, Readonly<Record<string, Error>>, readonly string[]]>([
  ['missing', {}, [get, create, 'done']],
  ['one that may not be read', { get: forbidden() }, [get, create, 'done']],
  ['one that may neither be read nor made', { get: forbidden(), create: forbidden() }, [get, create, 'done']],
  ['one of another server', { create: newAlreadyExists(NAMESPACES, 'a') }, [get, create, 'done']],
  ['an unreadable one', { get: newServiceUnavailable('later') }, [get, 'later']],
  ['one that cannot be made', { create: newServiceUnavailable('later') }, [get, create, 'later']],
])('ensures a namespace: %s', async (_what, failures, outcome) => {
  expect(await ensured(failures)).toEqual(outcome);
});

it('only reads an existing namespace', async () => {
  expect(await ensured({}, true)).toEqual([get, 'done']);
});

it('checks a namespace once, and again after a failure', async () => {
  const client = new MemoryLoopbackClient();
  const namespaces = new EnsuredNamespaces(client);
  let failures = 1;
  client.before = () => {
    if (failures-- > 0) throw newServiceUnavailable('later');
  };
  await expect(namespaces.ensure('a')).rejects.toThrow('later');
  await Promise.all([namespaces.ensure('a'), namespaces.ensure('a')]);
  await namespaces.ensure('a');
  expect(client.calls).toEqual([get, get, create]);
  expect(client.objects.get('namespaces /a')).toMatchObject(namespace);
});

it('asks for namespaces of the core group', async () => {
  const client = new MemoryLoopbackClient();
  const asked: unknown[] = [];
  const resource = client.resource.bind(client);
  client.resource = (what) => {
    asked.push(what);
    return resource(what);
  };
  await new EnsuredNamespaces(client).ensure('a');
  expect(asked).toEqual([{ group: '', version: 'v1', resource: 'namespaces' }]);
});
