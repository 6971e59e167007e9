import { once } from 'node:events';
import { connect } from 'node:http2';
import { request } from 'node:https';
import {
  type Attacker,
  CONFIG_MAPS,
  type HostileCase,
  type HostileRequest,
  type HostileResponse,
  MIB,
  sending,
} from '../hostile-case.ts';

const NAMESPACES = '/api/v1/namespaces';
/** A namespace of its own, since a list of the default one would contain the large objects of other cases. */
const SELECTED = `${NAMESPACES}/selected/configmaps`;

/** The objects of which each list selects. */
const OBJECTS: readonly HostileRequest[] = Array.from({ length: 300 }, (_, index) =>
  sending(
    'POST',
    SELECTED,
    'json',
    JSON.stringify({ metadata: { name: `selected-${index}`, labels: { hostile: 'selected' } } }),
  ),
);
const MORE_TEXT = 600_000;

const terms = (term: (index: number) => string, separator = ',') => {
  let text = term(0);
  for (let index = 1; text.length < MORE_TEXT; index++) text += separator + term(index);
  return text;
};

const list = (query: string, method = 'GET') => ({
  request: () => ({ method, path: `${SELECTED}?limit=500&${query}` }),
  before: [sending('POST', NAMESPACES, 'json', JSON.stringify({ metadata: { name: 'selected' } })), ...OBJECTS],
  status: 200,
  maxResponse: 2 ** 20,
});
const labels = (text: string) => `labelSelector=${text}`;

const MAX_CHARACTERS = 100_000;
/** In another form than that of responses. */
const MAX_ODD_CHARACTERS = 16_384;

/** As many pieces as the longest selector of shards may have. */
function shards(piece: (index: number) => string, most: number, separator = '||'): string {
  const length = Math.floor((most + separator.length) / (piece(0).length + separator.length));
  return `shardSelector=${encodeURIComponent(Array.from({ length }, (_, index) => piece(index)).join(separator))}`;
}

/** Ranges that do not touch, the last one first. */
function range(index: number): string {
  const [start, end] = [1, 0].map((less) => `0x${(0xffff_ffff - 2 * index - less).toString(16)}00000000`);
  return `shardRange(object.metadata.uid,'${start}','${end}')`;
}
const manyShards = shards(range, MAX_CHARACTERS);

const WATCHES = 200;
const LABELS = 40_000;
/** So many that a selector is matched label by label; no object meets the first one. */
const REQUIREMENTS = `none=x,${Array.from({ length: 50 }, (_, index) => `!absent${index}`)}`;

/** Gives an object many labels while many watches select by theirs. */
async function labelWatched(attacker: Attacker, name: string): Promise<HostileResponse> {
  await attacker.send(sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })));
  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=${REQUIREMENTS}`;
  const watches = Array.from({ length: WATCHES }, () =>
    request({ ...attacker.administrator, path, agent: false }).on('error', () => {}),
  );
  // Their handshakes are another case.
  for (const watch of watches) {
    watch.end();
    await once(watch, 'response');
  }
  const labels = Object.fromEntries(Array.from({ length: LABELS }, (_, index) => [`k${index}`, '']));
  try {
    const body = JSON.stringify({ metadata: { labels } });
    return await attacker.send(sending('PATCH', `${CONFIG_MAPS}/${name}`, 'merge', body));
  } finally {
    for (const watch of watches) watch.destroy();
    await attacker.send({ method: 'DELETE', path: `${CONFIG_MAPS}/${name}` });
  }
}

const CONNECTIONS = 30;
const STREAMS = 100;

/** Objects that change at once while thousands of watches of one user select them. */
async function changeWatched(attacker: Attacker, name: string): Promise<HostileResponse> {
  const { host, port } = attacker.target;
  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=watched!=x`;
  const sessions = Array.from({ length: CONNECTIONS }, () =>
    connect(`https://${host}:${port}`, attacker.administrator).on('error', () => {}),
  );
  for (const session of sessions) {
    const streams = Array.from({ length: STREAMS }, () => session.request({ ':path': path }).on('error', () => {}));
    await Promise.all(streams.map((stream) => once(stream.resume(), 'response')));
  }
  try {
    const bodies = Array.from({ length: 20 }, (_, i) => JSON.stringify({ metadata: { name: `${name}-${i}` } }));
    const created = await Promise.all(bodies.map((body) => attacker.send(sending('POST', CONFIG_MAPS, 'json', body))));
    return created.find(({ status }) => status !== 201) ?? attacker.send({ method: 'GET', path: '/livez' });
  } finally {
    for (const session of sessions) session.destroy();
  }
}

/** Selectors of as many requirements as a URL has room for, on lists, watches and deletions of 300 objects. */
export const SELECTOR_CASES: readonly HostileCase[] = [
  { name: 'absent labels', ...list(labels(terms((index) => `!k${index}`))) },
  { name: 'other values of a label', ...list(labels(terms((index) => `hostile!=v${index}`))) },
  {
    name: 'one of many values',
    ...list(labels(`hostile in (selected,${terms((index) => `v${index}`)})`.replaceAll(' ', '%20'))),
  },
  { name: 'larger and larger numbers', ...list(labels(terms((index) => `hostile>${index}`))) },
  { name: 'other names', ...list(`fieldSelector=${terms((index) => `metadata.name!=v${index}`)}`) },
  { name: 'a watch of absent labels', ...list(`watch=1&timeoutSeconds=1&${labels(terms((index) => `!k${index}`))}`) },
  {
    name: 'a deletion by absent labels',
    ...list(`dryRun=All&${labels(terms((index) => `!k${index}`))}`, 'DELETE'),
  },
  {
    name: `many labels beside ${WATCHES} watches`,
    request: () => ({ method: 'GET', path: CONFIG_MAPS }),
    attack: labelWatched,
    status: 200,
    maxResponse: 4 * MIB,
  },
  {
    name: `20 objects beside ${CONNECTIONS * STREAMS} watches`,
    request: () => ({ method: 'GET', path: CONFIG_MAPS }),
    attack: changeWatched,
    status: 200,
  },
  { name: 'many shards', ...list(manyShards) },
  { name: 'a watch of many shards', ...list(`watch=1&timeoutSeconds=1&${manyShards}`) },
  { name: 'a deletion of many shards', ...list(`dryRun=All&${manyShards}`, 'DELETE') },
  { name: 'many shards and a fault', ...list(`${manyShards}%7C%7C`), status: 500 },
  { name: 'many odd shards', ...list(shards((index) => `(${range(index)})`, MAX_ODD_CHARACTERS)) },
  { name: 'many names for shards', ...list(shards(() => 'x', MAX_ODD_CHARACTERS)), status: 500 },
  { name: 'a deep path for shards', ...list(shards(() => 'x', MAX_ODD_CHARACTERS, '.')), status: 500 },
  { name: 'unclosed shards', ...list(shards(() => '(', MAX_ODD_CHARACTERS, '')), status: 500 },
];
