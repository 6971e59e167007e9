import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { LiveServer } from './live-servers.ts';

const GROUP = 'live.example.com';
const ROOT = `/apis/${GROUP}`;
const NAMES = ['a', 'b', 'c', 'd', 'e'];

/** The same objects on either server, and the versions that its writes had. */
export interface LiveObjects {
  /** In the order of the writes. */
  readonly versions: readonly string[];
}

/**
 * The text of a response without the token that upstream misreads: that of the first page of one selected namespace
 * (docs/status.md, verbs).
 */
export function withoutMisreadToken(path: string, text: string): string {
  if (!/fieldSelector=[^&]*metadata\.namespace/.test(path) || /[?&]continue=/.test(path)) return text;
  return text.replace(/(\bcontinue"?: ?"?)[\w-]{40,}/, '$1');
}

const schema = {
  properties: {
    spec: {
      type: 'object',
      properties: { color: { type: 'string' }, size: { type: 'integer' }, note: { type: 'string' } },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
};

function definition() {
  const made = customResourceDefinition(GROUP, 'Widget', schema, { status: {} });
  const [v1] = made.spec.versions;
  const columns = {
    additionalPrinterColumns: [
      { name: 'Color', type: 'string', jsonPath: '.spec.color' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    selectableFields: [{ jsonPath: '.spec.color' }],
  };
  // Versions with the same schema share it, which upstream's check of selectable fields does not expect.
  const old = {
    name: 'v1beta1',
    storage: false,
    deprecated: true,
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
  return {
    ...made,
    spec: {
      ...made.spec,
      versions: [
        { ...v1, ...columns },
        { ...v1, ...old },
      ],
    },
  };
}

/** Defines the kind, and makes objects with a short history. `namespaces` are made where the server has them. */
export async function makeLiveObjects(server: LiveServer, namespaces: boolean): Promise<LiveObjects> {
  const path = `${DEFINITIONS}/widgets.${GROUP}`;
  await server.make('POST', DEFINITIONS, definition());
  const isServed = async () => {
    const { status } = await server.make('GET', path);
    return status.conditions?.some(
      (one: { type: string; status: string }) => one.type === 'Established' && one.status === 'True',
    );
  };
  while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, 50));
  // Upstream's server publishes a definition in discovery a moment after it has established it.
  const isListed = async () => {
    const { status } = await server.send({
      method: 'GET',
      path: `${ROOT}/v1/widgets`,
      headers: { authorization: 'Bearer admin' },
    });
    return status === 200;
  };
  while (!(await isListed())) await new Promise((resolve) => setTimeout(resolve, 50));
  const versions: string[] = [];
  const write = async (...request: Parameters<LiveServer['make']>) => {
    const { metadata } = await server.make(...request);
    versions.push(metadata.resourceVersion);
  };
  for (const namespace of ['n', 'm']) {
    if (namespaces) {
      const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await server.make('POST', '/api/v1/namespaces', made);
    }
    const collection = `${ROOT}/v1/namespaces/${namespace}/widgets`;
    for (const [at, name] of NAMES.entries()) {
      await write('POST', collection, {
        apiVersion: `${GROUP}/v1`,
        kind: 'Widget',
        metadata: { name, labels: { odd: String(at % 2), name }, annotations: { note: '☃' } },
        spec: { color: at % 2 === 0 ? 'red' : 'blue', size: at, note: '<&>\u2028' },
      });
    }
    await write('PATCH', `${collection}/b`, { metadata: { labels: { odd: '2' } } }, 'application/merge-patch+json');
    await write('PATCH', `${collection}/c`, { spec: { color: 'blue' } }, 'application/merge-patch+json');
    await server.make('DELETE', `${collection}/d`);
    await write('PATCH', `${collection}/e`, { metadata: { labels: { odd: null } } }, 'application/merge-patch+json');
  }
  return { versions };
}

/** `{rvN}` in a text stands for the version of the write N. */
export function withVersions(text: string, { versions }: LiveObjects): string {
  return text.replaceAll(/\{rv(\d+)\}/g, (_, at: string) => versions[Number(at)] ?? '0');
}

/** A version as the number of its write. */
function symbolOf(version: string, { versions }: LiveObjects): string {
  const at = versions.findLastIndex((one) => Number(one) <= Number(version));
  if (at === -1) return version;
  // Our server has other writers.
  if (at === versions.length - 1) return 'latest';
  return versions[at] === version ? `rv${at}` : `after rv${at}`;
}

/** A value of a response without what differs between two servers: versions by symbols, no times and no identities. */
export function comparableValue(value: unknown, objects: LiveObjects): unknown {
  if (Array.isArray(value)) return value.map((item) => comparableValue(item, objects));
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' ? comparableText(value, objects) : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (typeof member !== 'string') return [name, comparableValue(member, objects)];
      if (name === 'resourceVersion') return [name, symbolOf(member, objects)];
      if (name === 'uid') return [name, 'UID'];
      if (name === 'continue') return [name, comparableContinue(member, objects)];
      return [name, comparableText(member, objects)];
    }),
  );
}

function comparableText(text: string, objects: LiveObjects): string {
  return text
    .replaceAll(/^( *(?:uid|creationTimestamp|time|resourceVersion): ).*$/gm, '$1?')
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'TIME')
    .replace(/^\d+[smh]\d*s?$/, 'AGE')
    .replaceAll(/^( *- )\d+[sm]\d*s?$/gm, '$1AGE')
    .replaceAll(
      /(\bcontinue: )([\w-]{40,})/g,
      (_, head: string, token: string) => `${head}${JSON.stringify(comparableContinue(token, objects))}`,
    )
    .replaceAll(/current: \d+/g, 'current: NOW')
    .replaceAll(/\b\d+ \(\d+\)/g, 'RANGE');
}

function comparableContinue(token: string, objects: LiveObjects): unknown {
  if (token === '') return token;
  const { rv, ...rest } = JSON.parse(Buffer.from(token, 'base64').toString());
  // Lists of a cache have a slash before the key. Ours is made later.
  return { rv: symbolOf(String(rv), objects), ...rest, start: rest.start.replace(/^\//, '') };
}
