import { it } from 'vitest';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeLive, type LiveServer } from './live-servers.ts';

/** A write, after which the conditions of all definitions are compared. */
interface Step {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly plural: string;
  readonly definition: object;
}

interface DefinitionsCase {
  readonly group: string;
  readonly steps: readonly Step[];
}

const PLURALS = ['as', 'bs', 'cs'] as const;
const NAMES = ['as', 'bs', 'cs', 'a', 'b', 'x', 'y'] as const;
const KINDS = ['A', 'B', 'AList', 'X'] as const;
const APPROVALS = [
  'https://github.com/kubernetes/kubernetes/pull/78458',
  'unapproved, testing-only',
  'unapproved',
  'odd',
  '',
  'http://x',
  'https://',
  '/a',
  'https://é',
  '%zz',
] as const;

function randomDefinition(random: Random, group: string, plural: string): object {
  const base = customResourceDefinition(group, plural.slice(0, -1).toUpperCase());
  const kind = random.of(KINDS);
  const names = {
    plural,
    kind,
    ...(random.chance(0.5) && { singular: random.of(NAMES) }),
    ...(random.chance(0.5) && { listKind: random.of([...KINDS, `${kind}List`, `${kind}List`] as const) }),
    ...(random.chance(0.6) && { shortNames: Array.from({ length: 1 + random.below(3) }, () => random.of(NAMES)) }),
    ...(random.chance(0.3) && { categories: ['all', random.of(NAMES)] }),
  };
  const version = random.chance(0.2) ? { name: 'v2' } : {};
  const approval = group.endsWith('k8s.io') && random.chance(0.7);
  const annotations = approval && { annotations: { 'api-approved.kubernetes.io': random.of(APPROVALS) } };
  const versions = [{ ...base.spec.versions[0], ...version }];
  return { ...base, metadata: { name: `${plural}.${group}`, ...annotations }, spec: { ...base.spec, names, versions } };
}

let made = 0;

/** Each case has a group of its own: names collide within one alone. Definitions get earlier names back. */
function randomCase(random: Random): DefinitionsCase {
  const group = `g${made++}.${random.of(['example.com', 'example.com', 'k8s.io', 'x.kubernetes.io'])}`;
  const states = PLURALS.map((plural) => [0, 1].map(() => randomDefinition(random, group, plural)));
  const randomStep = (): Step => {
    const at = random.below(PLURALS.length);
    const method = random.of(['POST', 'POST', 'PUT', 'PUT', 'PUT', 'DELETE'] as const);
    return { method, plural: PLURALS[at] ?? '', definition: states[at]?.[random.below(2)] ?? {} };
  };
  return { group, steps: Array.from({ length: 3 + random.below(7) }, randomStep) };
}

const HEADERS = { authorization: 'Bearer admin', 'content-type': 'application/json' };
/** The controllers of a server are done when nothing has changed for this time. */
const SETTLED_MS = 600;

async function sent(server: LiveServer, method: string, path: string, object?: object) {
  const body = object === undefined ? {} : { body: JSON.stringify(object) };
  const response = await server.send({ method, path, headers: HEADERS, ...body });
  return { status: response.status, object: JSON.parse(response.body.toString()) };
}

async function definitionsOf(server: LiveServer, group: string): Promise<unknown[]> {
  const found = await Promise.all(PLURALS.map((plural) => sent(server, 'GET', `${DEFINITIONS}/${plural}.${group}`)));
  return found.map(({ status, object }) => (status === 200 ? comparable(object) : status));
}

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of objects
function comparable({ metadata, status }: any): unknown {
  const { generation, finalizers, deletionTimestamp } = metadata;
  // biome-ignore lint/suspicious/noExplicitAny: tests read single members of objects
  const conditions = (status?.conditions ?? []).map(({ lastTransitionTime, ...rest }: any) => ({
    ...rest,
    changed: lastTransitionTime !== undefined,
  }));
  // Controllers add their conditions in any order.
  // biome-ignore lint/suspicious/noExplicitAny: tests read single members of objects
  conditions.sort((a: any, b: any) => (a.type < b.type ? -1 : 1));
  return { generation, finalizers, deleted: deletionTimestamp !== undefined, status: { ...status, conditions } };
}

async function settled(server: LiveServer, group: string): Promise<unknown[]> {
  let last = await definitionsOf(server, group);
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const now = await definitionsOf(server, group);
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
  }
}

async function answers(server: LiveServer, { group, steps }: DefinitionsCase): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const { method, plural, definition } of steps) {
    const path = method === 'POST' ? DEFINITIONS : `${DEFINITIONS}/${plural}.${group}`;
    const old = method === 'PUT' ? await sent(server, 'GET', path) : undefined;
    const resourceVersion = old?.object.metadata?.resourceVersion;
    const versioned = resourceVersion && { metadata: { ...metadataOf(definition), resourceVersion } };
    const object = method === 'DELETE' ? undefined : { ...definition, ...versioned };
    const { status, object: response } = await sent(server, method, path, object);
    const shown = status < 300 ? status : { status, message: response.message?.replaceAll(/uid.*$/g, '') };
    seen.push([shown, await settled(server, group)]);
  }
  for (const plural of PLURALS) await sent(server, 'DELETE', `${DEFINITIONS}/${plural}.${group}`);
  await settled(server, group);
  return seen;
}

function metadataOf(definition: object): object {
  return 'metadata' in definition ? (definition.metadata as object) : {};
}

describeLive('definitions', {}, (servers) => {
  it('have upstream’s names and conditions', async () => {
    const { theirs, ours } = servers();
    await compareCases<DefinitionsCase, unknown[]>(
      { ask: (_, one) => answers(theirs, one as DefinitionsCase) as never },
      {
        area: 'definitions',
        randomCase,
        atOnce: 20,
        batch: 20,
        mostAsked: 2,
        ours: (one) => answers(ours, one),
        difference: (their, our) => {
          const at = their.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(our[i]));
          return at < 0 ? undefined : { at, theirs: their[at], ours: our[at] };
        },
      },
    );
  });
});
