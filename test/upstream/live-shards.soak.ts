import { hashField } from '@apiserver/registry-store/testing';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import {
  comparableValue,
  type LiveObjects,
  makeLiveObjects,
  withoutMisreadToken,
  withVersions,
} from './live-objects.ts';
import { describeLive, type LiveServer } from './live-servers.ts';

const ROOT = '/apis/live.example.com/v1';
const END = '0x10000000000000000';
const VERSIONS = ['', '0', '{rv0}', '{rv3}', '{rv9}', '{rv13}', '1000000'] as const;

/** Lists and watches of the same objects, or of objects of the case that change meanwhile. */
interface ShardCase {
  readonly queries: readonly string[];
  readonly path: string;
  readonly shards: string;
  /** Changes of objects of the case while a watch of them runs. Undefined: a list or a watch of the past. */
  readonly changes: readonly Change[] | undefined;
  readonly watched: string;
}

interface Change {
  readonly verb: 'create' | 'label' | 'delete';
  readonly place: string;
  readonly label: string;
}

/** `{uid N/M}` stands for the hash of an object's UID, and `{uid+ N/M}` for the next one. */
function randomShards(random: Random): string {
  const range = (path: string, start: string, end: string) =>
    `shardRange(object.metadata.${path}, '${start}', '${end}')`;
  const of = random.of(['n', 'm', 'other']);
  const byNamespace = () => {
    const low = random.of(['0x0000000000000000', `{ns ${of}}`, '0x8000000000000000']);
    return range('namespace', low, random.of([`{ns+ ${of}}`, END, END]));
  };
  const byUid = () => {
    const place = `${random.of(['n', 'm'])}/${random.of(['a', 'b', 'c', 'e'])}`;
    return range('uid', `{uid ${place}}`, `{uid+ ${place}}`);
  };
  const make = random.chance(0.5) ? byNamespace : byUid;
  return Array.from({ length: 1 + random.below(3) }, make).join(' || ');
}

function randomQuery(random: Random, watch: boolean): string {
  const version = random.of(VERSIONS);
  const parameters = [
    ...(random.chance(0.5) ? [`resourceVersion=${version}`] : []),
    ...(random.chance(0.4) ? [`limit=${random.of(['1', '2', '3', '100'])}`] : []),
    ...(random.chance(0.3)
      ? [`labelSelector=${encodeURIComponent(random.of(['odd=1', 'odd!=1', 'odd', '!odd']))}`]
      : []),
    ...(random.chance(0.2)
      ? [
          `fieldSelector=${encodeURIComponent(random.of(['metadata.name=a', 'spec.color=red', 'metadata.namespace=n']))}`,
        ]
      : []),
    ...(random.chance(0.2) ? [`resourceVersionMatch=${random.of(['Exact', 'NotOlderThan'])}`] : []),
    ...(random.chance(0.4) ? ['continue=$continue'] : []),
    ...(watch ? ['watch=1', 'timeoutSeconds=1'] : []),
    ...(watch && random.chance(0.4)
      ? ['sendInitialEvents=true', 'allowWatchBookmarks=true', 'resourceVersionMatch=NotOlderThan']
      : []),
  ];
  return parameters.map((one) => `&${one}`).join('');
}

function randomCase(random: Random, isMoving: boolean): ShardCase {
  const watched = `w${random.below(1_000_000_000)}`;
  const place = () => `${random.of(['n', 'm'])}/${watched}-${random.of(['x', 'y'])}`;
  const change = (): Change => ({
    verb: random.of(['create', 'create', 'label', 'label', 'delete']),
    place: place(),
    label: random.of(['1', '2']),
  });
  return {
    path: random.of(['/namespaces/n/widgets', '/widgets', '/widgets']),
    shards: randomShards(random),
    queries: Array.from({ length: isMoving ? 1 : 1 + random.below(3) }, () => randomQuery(random, random.chance(0.4))),
    changes: isMoving ? Array.from({ length: 3 + random.below(8) }, change) : undefined,
    watched,
  };
}

const hexadecimal = (text: string, add: bigint) => {
  const { high, low } = hashField(text);
  return `0x${((BigInt(high) << 32n) + BigInt(low) + add).toString(16).padStart(16, '0')}`;
};

/** The shards of a case on one server. */
function shardsOn(shards: string, uids: ReadonlyMap<string, string>): string {
  return shards
    .replaceAll(/\{ns(\+?) ([^}]*)\}/g, (_, next: string, name: string) => hexadecimal(name, next ? 1n : 0n))
    .replaceAll(/\{uid(\+?) ([^}]*)\}/g, (_, next: string, place: string) =>
      hexadecimal(uids.get(place) ?? '', next ? 1n : 0n),
    );
}

async function uidsOf(server: LiveServer): Promise<ReadonlyMap<string, string>> {
  const { items } = await server.make('GET', `${ROOT}/widgets`);
  return new Map(
    items.map(({ metadata }: { metadata: { namespace: string; name: string; uid: string } }) => [
      `${metadata.namespace}/${metadata.name}`,
      metadata.uid,
    ]),
  );
}

const headers = { authorization: 'Bearer admin' };

async function reads(
  server: LiveServer,
  { objects, uids }: { readonly objects: LiveObjects; readonly uids: ReadonlyMap<string, string> },
  { path, shards, queries }: ShardCase,
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let next = 'x';
  for (const query of queries) {
    const selector = encodeURIComponent(shardsOn(shards, uids));
    const url = withVersions(`${ROOT}${path}?shardSelector=${selector}${query}`, objects);
    const { status, body } = await server.send({
      method: 'GET',
      path: url.replace('$continue', encodeURIComponent(next)),
      headers,
    });
    const text = withoutMisreadToken(query, body.toString());
    next = /"continue": ?"([^"]+)"/.exec(text)?.[1] ?? next;
    const values = query.includes('watch=1') ? text.split('\n').slice(0, -1) : [text];
    found.push({ status, values: values.map((value) => comparableValue(JSON.parse(value), objects)) });
  }
  return found;
}

/** The events of a watch of a shard while objects come into it and leave it. */
async function moves(
  server: LiveServer,
  { path, shards, changes = [], watched }: ShardCase,
  made: ReadonlyMap<string, string>,
): Promise<readonly unknown[]> {
  const uids = new Map(made);
  const [namespace, whole] = [path.includes('/n/') ? '/namespaces/n' : '', `case=${watched},odd=1`];
  const collection = (place: string) => `${ROOT}/namespaces/${place.split('/')[0]}/widgets`;
  const change = async ({ verb, place, label }: Change): Promise<void> => {
    const [, name = ''] = place.split('/');
    const labels = { case: watched, odd: label };
    const item = `${collection(place)}/${name}`;
    const patch = { method: 'PATCH', body: JSON.stringify({ metadata: { labels } }) };
    const object = { apiVersion: 'live.example.com/v1', kind: 'Widget', metadata: { name, labels } };
    const request = {
      create: { method: 'POST', path: collection(place), body: JSON.stringify(object) },
      label: { ...patch, path: item },
      delete: { method: 'DELETE', path: item },
    }[verb];
    const type = verb === 'label' ? 'application/merge-patch+json' : 'application/json';
    const { body } = await server.send({ ...request, headers: { ...headers, 'content-type': type } });
    const { metadata } = JSON.parse(body.toString());
    if (verb === 'create' && metadata?.uid) uids.set(place, metadata.uid);
  };
  const { metadata } = await server.make('GET', `${ROOT}/widgets?limit=1`);
  const first = changes.slice(0, Math.ceil(changes.length / 2));
  for (const one of first) await change(one);
  const own = `${shardsOn(shards, uids)}`;
  const query = `shardSelector=${encodeURIComponent(own)}&labelSelector=${encodeURIComponent(whole)}`;
  const watching = server.send({
    method: 'GET',
    path: `${ROOT}${namespace}/widgets?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}&${query}`,
    headers,
  });
  for (const one of changes.slice(first.length)) await change(one);
  const { status, body } = await watching;
  if (status !== 200) return [{ status, ...JSON.parse(body.toString()) }];
  const lines = body.toString().split('\n').slice(0, -1);
  const events = lines
    .map((line) => JSON.parse(line))
    .map(({ type, object: { metadata, message } }) => [
      ...[type, metadata.namespace, metadata.name, metadata.labels?.odd, message],
    ]);
  return [{ status, events }];
}

const answer = (server: LiveServer, known: Parameters<typeof reads>[1], one: ShardCase) =>
  one.changes === undefined ? reads(server, known, one) : moves(server, one, known.uids);

describeLive('shards', { flags: ['--feature-gates=ShardedListAndWatch=true'] }, (servers) => {
  it('are those of upstream’s server, also while objects come into them and leave them', async () => {
    const { theirs, ours } = servers();
    const theirObjects = await makeLiveObjects(theirs, false);
    const ourObjects = await makeLiveObjects(ours, true);
    const known = {
      theirs: { objects: theirObjects, uids: await uidsOf(theirs) },
      ours: { objects: ourObjects, uids: await uidsOf(ours) },
    };
    // Lists would have the objects of the others.
    for (const isMoving of [false, true]) {
      await compareCases<ShardCase, readonly unknown[]>(
        { ask: (_, one) => answer(theirs, known.theirs, one as ShardCase) as never },
        {
          area: 'shards',
          randomCase: (random) => randomCase(random, isMoving),
          atOnce: 20,
          mostAsked: 3,
          batch: 60,
          ours: (one) => answer(ours, known.ours, one),
          difference: (their, our) => firstDifference(their, our),
        },
      );
    }
  });
});

function firstDifference(theirs: readonly unknown[], ours: readonly unknown[]): unknown {
  // Our watches begin before the cache of upstream was made.
  const isOld = (one: unknown) => JSON.stringify(one).includes('too old resource version: RANGE');
  const at = theirs.findIndex((one, index) => !isOld(one) && JSON.stringify(one) !== JSON.stringify(ours[index]));
  return at === -1 ? undefined : { theirs: theirs[at], ours: ours[at] };
}
