import type { FlowSchema } from '@apiserver/api/flowcontrol/v1';
import { newAlreadyExists, newConflict, newNotFound, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { AUTO_UPDATE_ANNOTATION, FLOW_SCHEMAS, suggestedFlowSchemas } from '@apiserver/flowcontrol';
import { beforeEach, expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { ensureFlowControlObjects, UpkeepError } from './ensure-objects.js';

type Verb = 'create' | 'update' | 'delete';

/** The writes since the last one that was forgotten. */
let written: { readonly verb: Verb; readonly name: string; readonly options: unknown }[];
/** Called before each write. */
let before: (verb: Verb, name: string) => void;
let client: LoopbackClient;
let schemas: ResourceClient<FlowSchema>;

beforeEach(() => {
  written = [];
  before = () => {};
  const real = fakeClient();
  schemas = real.resource<FlowSchema>(FLOW_SCHEMAS);
  client = {
    resource: (gvr) => {
      const resource = real.resource<FlowSchema>(gvr);
      const note = (verb: Verb, name = '', options: unknown = undefined) => {
        written.push({ verb, name, options });
        before(verb, name);
      };
      const noted: Pick<ResourceClient<FlowSchema>, Verb | 'list'> = {
        list: (...args) => resource.list(...args),
        create: (namespace, object, options) => {
          note('create', object.metadata.name, options);
          return resource.create(namespace, object, options);
        },
        update: (namespace, object, options) => {
          note('update', object.metadata.name, options);
          return resource.update(namespace, object, options);
        },
        delete: async (namespace, name) => {
          note('delete', name);
          await resource.delete(namespace, name);
        },
      };
      return noted as never;
    },
  };
});

let log = createTestLogger(2);
const [probes] = suggestedFlowSchemas.filter(({ metadata }) => metadata.name === 'probes');
if (probes === undefined) throw new TypeError('there is no flow schema for probes');
const MANAGER = { fieldManager: 'api-priority-and-fairness-config-producer-v1' };

function ensure(): Promise<void> {
  written.length = 0;
  log = createTestLogger(2);
  return ensureFlowControlObjects(client, log.logger);
}

/** Lets the server have an outdated `probes` and an object of an older release. */
async function outdated(): Promise<void> {
  await ensure();
  const annotations = { [AUTO_UPDATE_ANNOTATION]: 'true' };
  const old = { ...probes, metadata: { name: 'old', annotations } } as FlowSchema;
  await schemas.create('', old);
  await schemas.delete('', 'probes');
  const spec = { priorityLevelConfiguration: { name: 'mine' }, matchingPrecedence: 3 };
  await schemas.create('', { ...old, metadata: { name: 'probes', annotations }, spec });
}

it('writes under its own name, and logs it', async () => {
  await ensure();
  const created = written.find(({ name }) => name === 'probes');
  expect(created).toEqual({ verb: 'create', name: 'probes', options: MANAGER });
  expect(log.lines.find(({ fields }) => fields['name'] === 'probes')).toMatchObject({
    message: 'Successfully created *v1.FlowSchema',
    fields: { type: 'suggested', name: 'probes' },
  });
  expect(log.lines.find(({ fields }) => fields['name'] === 'exempt')).toMatchObject({
    message: 'Successfully created *v1.PriorityLevelConfiguration',
    fields: { type: 'mandatory', name: 'exempt' },
  });
  await outdated();
  await ensure();
  expect(written).toEqual([
    { verb: 'update', name: 'probes', options: MANAGER },
    { verb: 'delete', name: 'old', options: undefined },
  ]);
  expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual([
    ['Updated the *v1.FlowSchema', { type: 'suggested', name: 'probes' }],
    ['Successfully deleted the unwanted FlowSchema', { name: 'old' }],
  ]);
});

it.each<[Verb, Error]>([
  ['create', newAlreadyExists(FLOW_SCHEMAS, 'probes')],
  ['update', newConflict(FLOW_SCHEMAS, 'probes', new Error('changed'))],
  ['delete', newNotFound(FLOW_SCHEMAS, 'old')],
])('lets another server be first: %s', async (verb, failure) => {
  if (verb !== 'create') await outdated();
  before = (called, name) => {
    if (called === verb && (name === 'probes' || name === 'old')) throw failure;
  };
  await ensure();
  expect(written.filter((write) => write.verb === verb && write.name !== '').length).toBeGreaterThan(0);
  expect(
    log.lines.filter(({ fields }) => ['probes', 'old'].includes(String(fields['name']))).map((line) => line.message),
  ).toEqual(
    {
      create: [],
      update: [
        'Something updated the *v1.FlowSchema concurrently, I will check its spec later',
        'Successfully deleted the unwanted FlowSchema',
      ],
      delete: ['Updated the *v1.FlowSchema'],
    }[verb],
  );
});

it.each<[Verb, string]>([
  [
    'create',
    'failed ensuring suggested settings - cannot create *v1.FlowSchema type=suggested name="probes" error=down',
  ],
  [
    'update',
    'failed ensuring suggested settings - failed to update the *v1.FlowSchema, will retry later type=suggested name="probes" error=down',
  ],
  ['delete', 'failed to delete removed settings - failed to delete unwatned APF object "old" - down'],
])('stops at another failure: %s', async (verb, message) => {
  if (verb !== 'create') await outdated();
  const down = newServiceUnavailable('down');
  before = (called, name) => {
    if (called === verb && (name === 'probes' || name === 'old')) throw down;
  };
  const failure = await ensure().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UpkeepError);
  expect(failure).toMatchObject({ name: 'UpkeepError', message, cause: down });
  expect(written.at(-1)?.verb).toBe(verb);
});
