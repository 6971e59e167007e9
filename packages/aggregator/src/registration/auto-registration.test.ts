import type { APIService } from '@apiserver/api/apiregistration/v1';
import { newAlreadyExists, newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, expect, it } from 'vitest';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { AutoRegistration } from './auto-registration.js';
import { localApiService, type Management } from './desired-api-service.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const FOO = { group: 'foo', version: 'v1' };
const NAME = 'v1.foo';

/** An APIService by its management; a user has no management. */
function service(management: Management | 'user', version = 1): APIService {
  const { metadata, ...rest } = localApiService(FOO, { group: 1000, version }, 'true');
  const labels = management === 'user' ? {} : { 'kube-aggregator.kubernetes.io/automanaged': management };
  return { ...rest, metadata: { ...metadata, uid: `uid of ${management}`, labels } };
}

interface Setting {
  /** The APIService at the start. */
  readonly present?: APIService;
  readonly desired?: APIService;
  /** Changes after the first synchronization. */
  later?(informer: ControlledInformer<APIService>, registration: AutoRegistration): void;
  /** Error of every write. */
  readonly failure?: unknown;
}

/**
 * The writes of a registration, and `failed` if it logs a failure: `create onstart 1`, `update true 2`, `delete`. Those
 * after the start follow `then`.
 */
async function writesOf({ present, desired, later, failure }: Setting): Promise<readonly string[]> {
  const informer = new ControlledInformer<APIService>();
  const writes: string[] = [];
  const { logger, lines } = createTestLogger();
  const outcome = () => (lines.some(({ level }) => level === 'error') ? [...writes, 'failed'] : writes);
  const write = (what: string, stored?: APIService) => {
    // The informer may report an object once more.
    if (writes.at(-1) !== what) writes.push(what);
    if (failure !== undefined) throw failure;
    if (stored === undefined) informer.remove(NAME);
    else informer.put(stored);
  };
  const shown = ({ metadata, spec }: APIService) =>
    `${Object.values(metadata.labels ?? {}).join()} ${spec?.versionPriority}`;
  const client = {
    async create(_namespace: string, made: APIService) {
      write(`create ${shown(made)}`, made);
      return made;
    },
    async update(_namespace: string, changed: APIService) {
      write(`update ${shown(changed)}`, changed);
      return changed;
    },
    async delete(_namespace: string, _name: string, options?: object) {
      write(`delete ${JSON.stringify(options)}`);
    },
  };
  const abort = new AbortController();
  ends.push(() => abort.abort());
  const registration = new AutoRegistration({ informer, client, clock: new ManualClock(), logger });
  if (present !== undefined) informer.put(present);
  if (desired !== undefined) registration.add(desired);
  await registration.run(abort.signal);
  if (later === undefined) return outcome();
  writes.push('then');
  later(informer, registration);
  await eventLoopTurns();
  return outcome();
}

const put = (changed: APIService) => (informer: ControlledInformer<APIService>) => informer.put(changed);
const gone = (informer: ControlledInformer<APIService>) => informer.remove(NAME);
const unregister = (_: unknown, registration: AutoRegistration) => registration.remove(NAME);

/** Upstream: the table at checkAPIService, and TestSync of autoregister_controller_test.go */
it.each<readonly [string, Setting, readonly string[]]>([
  ['leaves one of a user alone', { present: service('user') }, []],
  ['leaves it alone even if it is registered', { present: service('user', 2), desired: service('true') }, []],
  ['creates a missing one', { desired: service('true') }, ['create true 1']],
  ['creates a missing one at the start', { desired: service('onstart') }, ['create onstart 1']],
  ['changes nothing without a difference', { present: service('true'), desired: service('true') }, []],
  ['corrects one', { present: service('true', 2), desired: service('true') }, ['update true 1']],
  ['corrects one at the start', { present: service('onstart', 2), desired: service('onstart') }, ['update onstart 1']],
  ['deletes one that nobody wants', { present: service('true') }, ['delete {"preconditions":{"uid":"uid of true"}}']],
  [
    'deletes one of an earlier start that nobody wants',
    { present: service('onstart') },
    ['delete {"preconditions":{"uid":"uid of onstart"}}'],
  ],
  [
    'corrects a change of a user',
    { desired: service('true'), later: put(service('true', 2)) },
    ['create true 1', 'then', 'update true 1'],
  ],
  [
    'accepts the change of a user after the start',
    { desired: service('onstart'), later: put(service('onstart', 2)) },
    ['create onstart 1', 'then'],
  ],
  [
    'accepts the change of one that became unmanaged',
    { desired: service('true'), later: put(service('user', 2)) },
    ['create true 1', 'then'],
  ],
  [
    'creates a deleted one again',
    { desired: service('true'), later: gone },
    ['create true 1', 'then', 'create true 1'],
  ],
  ['accepts a deletion after the start', { desired: service('onstart'), later: gone }, ['create onstart 1', 'then']],
  ['leaves one alone that came after the start', { later: put(service('onstart')) }, ['then']],
  [
    'deletes one that claims to be managed',
    { later: put(service('true')) },
    ['then', 'delete {"preconditions":{"uid":"uid of true"}}'],
  ],
  [
    'deletes one whose group version ends',
    { present: service('true'), desired: service('true'), later: unregister },
    ['then', 'delete {"preconditions":{"uid":"uid of true"}}'],
  ],
  [
    'logs the failure of a creation',
    { desired: service('true'), failure: newNotFound({ group: '', resource: 'apiservices' }, NAME) },
    ['create true 1', 'failed'],
  ],
  [
    'is content with a creation if another server was faster',
    { desired: service('true'), failure: newAlreadyExists({ group: '', resource: 'apiservices' }, NAME) },
    ['create true 1'],
  ],
  [
    'is content with a deletion if another one was faster',
    { present: service('true'), failure: newNotFound({ group: '', resource: 'apiservices' }, NAME) },
    ['delete {"preconditions":{"uid":"uid of true"}}'],
  ],
  [
    'is content with an update if another one was faster',
    {
      present: service('true', 2),
      desired: service('true'),
      failure: newConflict({ group: '', resource: 'apiservices' }, NAME, 'changed'),
    },
    ['update true 1'],
  ],
])('%s', async (_what, setting, expected) => {
  expect(await writesOf(setting)).toEqual(expected);
});
