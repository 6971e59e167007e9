import { randomInt, randomUUID } from 'node:crypto';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import {
  completeGenericServerConfig,
  newEmptyDelegate,
  newGenericServerConfig,
  newServerContext,
  notFoundHandler,
} from '@apiserver/generic-server';
import { callHandler } from '@apiserver/generic-server/testing';
import { createStorageProvider } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  comparable,
  readConversations,
  type UpstreamAnswer,
  type UpstreamConversation,
  type UpstreamStep,
} from '../testing/upstream-conversation.js';
import { newApiextensionsServer } from './apiextensions-server.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function start() {
  const user = { name: 'admin', groups: ['system:masters'], extra: {} };
  const authenticator = { authenticateRequest: async () => ({ user }) };
  const generic = completeGenericServerConfig({
    ...newGenericServerConfig(newServerContext({ logger })),
    authenticator,
  });
  const store = generic.disposables.use(createMemoryStore({ clock: systemClock }));
  const codecs = new Map<KindSchema, KindCodec>();
  const codecFor = (schema: KindSchema) => {
    const codec = codecs.get(schema) ?? compileKind(schema);
    codecs.set(schema, codec);
    return codec;
  };
  const provider = generic.disposables.use(
    createStorageProvider({ store, root: '/registry', clock: systemClock, codecFor }),
  );
  const install = { clock: systemClock, random: randomInt, newUid: randomUUID };
  const { server } = newApiextensionsServer(
    { generic, provider, store, storagePrefix: '/registry', clock: systemClock, codecFor, install, logger },
    newEmptyDelegate(notFoundHandler),
  );
  const stopping = new AbortController();
  const { loopbackClient } = server;
  const started = Promise.all(
    [...server.postStartHooks.values()].map((hook) => hook({ signal: stopping.signal, loopbackClient })),
  );
  const stop = async () => {
    stopping.abort();
    await server.dispose();
  };
  return { handler: server.handler, started, stop };
}

let server: ReturnType<typeof start>;
beforeEach(async () => {
  server = start();
  await server.started;
});
afterEach(() => server.stop());

type Asked = Pick<UpstreamStep, 'method' | 'path' | 'type' | 'accept' | 'body'>;

async function ask({ method, path, type = 'application/json', accept = 'application/json', body }: Asked) {
  const answer = await callHandler(server.handler, {
    method,
    url: path,
    headers: { accept, 'user-agent': 'diff/1', ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  });
  const warnings = [answer.headers['warning'] ?? []]
    .flat()
    .flatMap((header) => [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)])
    .map(([, text = '']) => text.replace(/\\(.)/g, '$1'))
    .sort();
  // A group that is not served yet is refused in plain text.
  const isText = answer.headers['content-type']?.toString().startsWith('text/plain') === true;
  return { code: answer.status, json: isText ? {} : JSON.parse(answer.body), warnings };
}

async function until(path: string, holds: (json: { readonly [key: string]: unknown }) => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const { code, json } = await ask({ method: 'GET', path });
    if (code === 200 && holds(json)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} did not get there`);
}

/** Everything happens in this process, within a few event loop turns and milliseconds. */
async function definitionTakenUp(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The recorded part of a response. */
function shown({ code, json, warnings }: Awaited<ReturnType<typeof ask>>, expected: UpstreamAnswer): UpstreamAnswer {
  const told = warnings.length === 0 ? {} : { warnings };
  if (json.kind !== 'Status' || code < 400) return { code, ...withBody(json, expected), ...told };
  const causes = json.details?.causes;
  return {
    code,
    ...(json.reason !== undefined && { reason: json.reason }),
    ...((causes ?? []).length < 2 && { message: comparable(json.message) as string }),
    ...(causes !== undefined && { causes: comparable(causes, 'causes') as readonly unknown[] }),
    ...told,
  };
}

/** An object, or a list whose names were recorded. */
interface Shown {
  readonly spec?: unknown;
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
}

function withBody(json: Shown, { body }: UpstreamAnswer): Pick<UpstreamAnswer, 'body'> {
  if (body === undefined) return {};
  if (Array.isArray(body)) return { body: (json.items ?? []).map(({ metadata }) => metadata.name) };
  const keys = Object.keys(body as object);
  return { body: comparable(keys.length === 1 && keys[0] === 'spec' ? { spec: json.spec } : json) };
}

async function take(step: UpstreamStep): Promise<UpstreamAnswer> {
  const { body, versionOf } = step;
  if (body === undefined || versionOf === undefined) return shown(await ask(step), step.expect);
  const { json } = await ask({ method: 'GET', path: versionOf });
  const object = JSON.parse(body);
  object.metadata.resourceVersion = json.metadata.resourceVersion;
  return shown(await ask({ ...step, body: JSON.stringify(object) }), step.expect);
}

async function converse({ definition, expect: expected, steps }: UpstreamConversation): Promise<void> {
  const made = await ask({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(definition) });
  expect(shown(made, expected)).toEqual(expected);
  if (steps.length === 0 || made.code !== 201) return;
  const { group, names, versions } = definition.spec;
  const served = (versions ?? []).find((version) => version.served)?.name ?? '';
  await until(`/apis/${group}/${served}/${names.plural}`, () => true);
  for (const [i, step] of steps.entries()) {
    if (step.changesDefinition === true) await definitionTakenUp();
    expect({ step: i, ...(await take(step)) }).toEqual({ step: i, ...step.expect });
  }
}

describe.each(['custom-resources.json', 'definitions.json', 'selectable-fields.json', 'found-by-chance.json'])(
  'as 1.36 responded: %s',
  (file) => {
    it.each(readConversations(file).map((conversation) => [conversation.name, conversation] as const))(
      '%s',
      (_name, conversation) => converse(conversation),
    );
  },
);
