import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';

const GROUP = 'crash.example.com';
const CLIENTS = 6;

/** Everything acknowledged about one definition. */
interface Acknowledged {
  readonly kind: string;
  readonly objects: string[];
  /** The version that is stored. */
  stored: string;
  /** Undefined if a deletion was sent and not acknowledged. */
  isDeleted: boolean | undefined;
}

/** The end of a client that is no lost connection. */
class UnexpectedStatus extends Error {}

const definitionPath = (kind: string) => `${DEFINITIONS}/${kind.toLowerCase()}s.${GROUP}`;
const objectsPath = (kind: string, version: string) =>
  `/apis/${GROUP}/${version}/namespaces/default/${kind.toLowerCase()}s`;

/** A definition whose objects are stored in its second version. */
function storedInV2(kind: string, resourceVersion: string) {
  const { metadata, spec, ...rest } = customResourceDefinition(GROUP, kind);
  const [v1] = spec.versions;
  const versions = [
    { ...v1, storage: false },
    { ...v1, name: 'v2' },
  ];
  return { ...rest, metadata: { ...metadata, resourceVersion }, spec: { ...spec, versions } };
}

/**
 * Defines kinds, creates objects of them, changes the stored version and deletes every third definition, until the
 * server is gone.
 */
async function work(client: AdminClient, first: number, known: Acknowledged[]): Promise<void> {
  for (let i = first; ; i += CLIENTS) {
    const kind = `Kind${i}`;
    const created = await client.request('POST', DEFINITIONS, customResourceDefinition(GROUP, kind));
    if (created.status !== 201) throw new UnexpectedStatus(created.body);
    const one: Acknowledged = { kind, objects: [], stored: 'v1', isDeleted: false };
    known.push(one);
    const create = async (name: string, version: string): Promise<void> => {
      const body = { apiVersion: `${GROUP}/${version}`, kind, metadata: { name } };
      while ((await client.request('POST', objectsPath(kind, version), body)).status !== 201) await sleep(5);
      one.objects.push(name);
    };
    for (const name of ['a', 'b']) await create(name, 'v1');
    const { resourceVersion } = JSON.parse((await client.request('GET', definitionPath(kind))).body).metadata;
    const changed = await client.request('PUT', definitionPath(kind), storedInV2(kind, resourceVersion));
    if (changed.status === 200) one.stored = 'v2';
    await create('c', one.stored);
    if (i % 3 !== 0) continue;
    one.isDeleted = undefined;
    if ((await client.request('DELETE', definitionPath(kind))).status === 200) one.isDeleted = true;
  }
}

/** The state after a restart, in the words of what was acknowledged. */
async function found(client: AdminClient, { kind, stored, isDeleted, objects }: Acknowledged): Promise<unknown> {
  const { status, body } = await client.request('GET', definitionPath(kind));
  if (status === 404) return { kind, isDeleted: true };
  const definition = JSON.parse(body);
  if (isDeleted !== false) {
    return { kind, isDeleted: definition.metadata.deletionTimestamp === undefined ? false : 'soon' };
  }
  const conditions: readonly { readonly type: string; readonly status: string }[] = definition.status.conditions ?? [];
  const isEstablished = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  const list = await client.request('GET', objectsPath(kind, stored));
  const items: readonly { readonly metadata: { readonly name: string } }[] =
    list.status === 200 ? JSON.parse(list.body).items : [];
  const names = new Set(items.map(({ metadata }) => metadata.name));
  return {
    kind,
    isEstablished,
    isStored: definition.status.storedVersions.includes(stored),
    lost: objects.filter((name) => !names.has(name)),
  };
}

function expected({ kind, isDeleted }: Acknowledged): unknown {
  if (isDeleted) return { kind, isDeleted: true };
  // It is deleted, or not: but a deletion that has begun goes on.
  if (isDeleted === undefined) return { kind, isDeleted: expect.any(Boolean) };
  return { kind, isEstablished: true, isStored: true, lost: [] };
}

describe('kill -9 while definitions and their objects are written', () => {
  it.each([3, 25])('after %i definitions: nothing acknowledged is lost, and deletions go on', async (killAfter) => {
    using folder = temporaryDirectory('crash-definitions');
    const dataDirectory = join(folder.path, 'data');
    const known: Acknowledged[] = [];
    {
      await using server = await startApiServer({ dataDirectory });
      const clients = Array.from({ length: CLIENTS }, () => new AdminClient(server.kubeconfig));
      const working = Promise.allSettled(clients.map((client, first) => work(client, first, known)));
      await expect.poll(() => known.length).toBeGreaterThanOrEqual(killAfter);
      await server.stop('SIGKILL');
      for (const client of clients) client[Symbol.dispose]();
      const ends = (await working).map((end) => (end.status === 'rejected' ? end.reason : undefined));
      expect(ends.filter((reason) => reason instanceof UnexpectedStatus)).toEqual([]);
    }
    await using server = await startApiServer({ dataDirectory });
    using client = new AdminClient(server.kubeconfig);
    await expect.poll(() => Promise.all(known.map((one) => found(client, one)))).toEqual(known.map(expected));
    expect(server.stderr).not.toMatch(/bug|panic/);
  });
});
