import { Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testDefinition } from '../testing/test-definition.js';
import { createTestServer, type TestServer } from '../testing/test-server.js';

const word = fc.constantFrom('a', 'b', '__proto__', '1');
const words = fc.dictionary(word, fc.constantFrom<unknown>('x', 'y', null), { maxKeys: 2, noNullPrototype: true });
const texts = fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true });
const container = fc.record(
  {
    name: fc.constantFrom('one', 'two'),
    image: fc.constantFrom('i:1', 'i:2'),
    args: fc.array(word, { maxLength: 2 }),
    env: fc.uniqueArray(fc.record({ name: word, value: word }), { maxLength: 2, selector: ({ name }) => name }),
    resources: fc.constantFrom({ limits: { cpu: '100m' } }, { limits: { cpu: 1, memory: '1024Mi' } }, {}),
    livenessProbe: fc.constantFrom({ httpGet: { port: 'web' } }, { httpGet: { port: 80 } }),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
);
const spec = fc.record(
  {
    containers: fc.uniqueArray(container, { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
    nodeSelector: texts,
    tolerations: fc.constantFrom<unknown>([{ key: 'k', tolerationSeconds: 5 }], []),
    activeDeadlineSeconds: fc.constantFrom(5, 6),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const metadata = fc.record(
  {
    labels: fc.oneof(words, fc.constant(null)),
    finalizers: fc.constantFrom<unknown>(['example.com/a'], [], null),
    managedFields: fc.constantFrom<unknown>([], null),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const changes = fc.record(
  { metadata, spec, status: fc.constant({ phase: 'Running', conditions: [] }) },
  { requiredKeys: [], noNullPrototype: true },
);
const configuration = fc.record(
  { metadata: fc.record({ labels: texts }, { requiredKeys: [], noNullPrototype: true }), spec },
  { requiredKeys: [], noNullPrototype: true },
);
const path = fc.constantFrom('/metadata/labels', '/spec/containers/0', '/spec/containers/-', '/spec/nodeSelector');
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace'), path: fc.constant('/spec/containers/0'), value: container }),
  fc.record({ op: fc.constant('add'), path: fc.constantFrom('/metadata/labels', '/spec/nodeSelector'), value: texts }),
  fc.record({ op: fc.constantFrom('copy', 'move'), from: path, path }),
);

interface Write {
  readonly type: string;
  readonly body: object;
}

/** Generates writes of all kinds of the group. */
function writes(group: string): fc.Arbitrary<Write> {
  const whole = (sent: { readonly metadata?: object }) => ({
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    kind: 'Pod',
    ...sent,
    metadata: { name: 'a', ...sent.metadata },
  });
  const of = (type: string) => (body: object) => ({ type: `application/${type}`, body });
  return fc.oneof(
    changes.map(of('merge-patch+json')),
    changes.map(of(group === '' ? 'strategic-merge-patch+json' : 'merge-patch+json')),
    fc.array(operation, { maxLength: 3 }).map(of('json-patch+json')),
    configuration.map(whole).map(of('apply-patch+yaml')),
    changes.map(whole).map(of('json')),
  );
}

/** Changes every mutable part of a value. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) scribble(member);
  if (Object.isFrozen(value)) return;
  if (Array.isArray(value)) value.push('scribbled');
  else Object.assign(value, { scribbled: {} });
}

/** A server of pods, or of similar custom resources, on which every update needs two attempts. */
function serverThatTriesTwice(group: string, tried: () => void): TestServer {
  const schema = group === '' ? Pod : { ...Pod, gvk: { ...Pod.gvk, group }, semantics: 'structural' as const };
  const versions = [{ version: 'v1', schema }];
  const definition = testDefinition({ group, kind: 'Pod', listKind: 'PodList', resource: 'pods', versions });
  const server = createTestServer({ definition, codec: compileKind<KubeObject>(schema) });
  const { update } = server.storage;
  server.storage.update = (context, request) => {
    const { objectInfo } = request;
    const updatedObject: typeof objectInfo.updatedObject = async (given, old) => {
      const stored = JSON.stringify(old);
      const first = await objectInfo.updatedObject(given, old);
      const text = JSON.stringify(first);
      scribble(first);
      const second = await objectInfo.updatedObject(given, old);
      expect([JSON.stringify(second), JSON.stringify(old)]).toEqual([text, stored]);
      tried();
      return second;
    };
    return update.call(server.storage, context, { ...request, objectInfo: { ...objectInfo, updatedObject } });
  };
  return server;
}

test.each([
  ['', '/api/v1'],
  ['example.com', '/apis/example.com/v1'],
])(
  'what a try of a write makes shares nothing with what is stored or another try makes: group "%s"',
  async (group, root) => {
    let tries = 0;
    const url = `${root}/namespaces/n/pods`;
    const property = fc.asyncProperty(fc.array(writes(group), { minLength: 2, maxLength: 4 }), async (requests) => {
      const server = serverThatTriesTwice(group, () => tries++);
      const labels = { of: 'it' };
      const body = {
        apiVersion: root.replace(/^\/apis?\//, ''),
        kind: 'Pod',
        metadata: { name: 'a', labels },
        spec: {
          containers: [{ name: 'one', image: 'i:1', resources: { limits: { cpu: '100m' } } }],
          nodeSelector: labels,
        },
      };
      const created = await server.call({ method: 'POST', url, body });
      expect(created.status).toBe(201);
      for (const [i, { type, body }] of requests.entries()) {
        const method = type === 'application/json' ? 'PUT' : 'PATCH';
        const force = type === 'application/apply-patch+yaml' ? '&force=true' : '';
        const headers = { 'content-type': type };
        const { status, text } = await server.call({
          method,
          url: `${url}/a?fieldManager=m${i % 2}${force}`,
          headers,
          body: JSON.stringify(body),
        });
        expect([200, 422], text).toContain(status);
      }
    });
    await fc.assert(property);
    expect(tries).toBeGreaterThan(100);
  },
);
