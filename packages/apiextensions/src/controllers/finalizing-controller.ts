import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { loadedObjects, type RestStorage, type StoredList, type VerbContext } from '@apiserver/apiserver-contracts';
import { overlapsBuiltInStorage } from '../custom-resource-definition/built-in-storage.js';
import {
  CLEANUP_FINALIZER,
  isConditionTrue,
  type NewCondition,
  setCondition,
} from '../custom-resource-definition/types.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';

const POLL_MS = 200;
/** Time limit of one attempt, for objects with finalizers of other controllers. */
const PATIENCE_MS = 60_000;

const EVERYTHING = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

/** Dependencies of the finalizing controller. */
export interface FinalizingOptions {
  readonly client: DefinitionClient;
  readonly clock: Clock;
  /** The storage of a definition's objects; undefined if it is not served. */
  readonly storageOf: (definition: CustomResourceDefinition) => RestStorage | undefined;
}

/**
 * Deletes the objects of a definition under deletion, then removes its finalizer.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go
 */
export function finalizingController(options: FinalizingOptions): DefinitionController {
  const { client } = options;
  return {
    name: 'crd_finalizer',
    // Several workers, so that finalizers of one definition's objects do not delay others.
    workers: 5,
    sync: async (seen, signal) => {
      if (!isPending(seen)) return;
      const newest = await client.get(seen.metadata.name ?? '');
      if (!isPending(newest)) return;
      const definition = await withCondition(client, newest, {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      });
      const outcome = await deleteObjects(definition, options, signal);
      const changed = cloneJson(definition) as CustomResourceDefinition;
      setCondition(changed, outcome.condition, client.now());
      if (outcome.error === undefined) {
        changed.metadata.finalizers = (changed.metadata.finalizers ?? []).filter((name) => name !== CLEANUP_FINALIZER);
      }
      await client.updateStatus(changed);
      if (outcome.error !== undefined) throw outcome.error;
    },
  };
}

function isPending({ metadata }: CustomResourceDefinition): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers ?? []).includes(CLEANUP_FINALIZER);
}

function withCondition(
  client: DefinitionClient,
  definition: CustomResourceDefinition,
  condition: NewCondition,
): Promise<CustomResourceDefinition> {
  const changed = cloneJson(definition) as CustomResourceDefinition;
  setCondition(changed, condition, client.now());
  return client.updateStatus(changed);
}

interface Outcome {
  readonly condition: NewCondition;
  /** Set if a retry is needed. */
  readonly error?: unknown;
}

async function deleteObjects(
  definition: CustomResourceDefinition,
  { storageOf, clock }: FinalizingOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  if (overlapsBuiltInStorage(definition)) {
    return finished('OverlappingBuiltInResource', 'instances overlap with built-in resources in storage');
  }
  if (!isConditionTrue(definition, 'Established')) {
    return finished('NeverEstablished', 'resource was never established');
  }
  const storage = storageOf(definition);
  let found: StoredList;
  try {
    // Otherwise its objects would remain for ever.
    if (storage === undefined) throw new Error('the custom resource is not served');
    found = await listAll(storage, signal);
  } catch (error) {
    return failed('InstanceDeletionFailed', `could not list instances: ${messageOf(error)}`, error);
  }
  const errors = await deleteAll(storage, found, signal);
  if (errors.length > 0) {
    const message = `could not issue all deletes: ${aggregateMessages(errors.map(messageOf))}`;
    return failed('InstanceDeletionFailed', message, errors[0]);
  }
  try {
    await untilEmpty(storage, clock, signal);
  } catch (error) {
    const message = `could not confirm zero CustomResources remaining: ${messageOf(error)}`;
    return failed('InstanceDeletionCheck', message, error);
  }
  return finished('InstanceDeletionCompleted', 'removed all instances');
}

function finished(reason: string, message: string): Outcome {
  return { condition: { type: 'Terminating', status: 'False', reason, message } };
}

function failed(reason: string, message: string, error: unknown): Outcome {
  return { condition: { type: 'Terminating', status: 'True', reason, message }, error };
}

/** Deletes namespace by namespace, as collections. An error in one does not keep the others; returns all of them. */
async function deleteAll(storage: RestStorage, { items }: StoredList, signal: AbortSignal): Promise<unknown[]> {
  const namespaces = new Set<string>();
  for await (const { metadata } of loadedObjects(items)) namespaces.add(metadata.namespace ?? '');
  const errors: unknown[] = [];
  for (const namespace of namespaces) {
    try {
      await storage.deleteCollection?.(contextOf(namespace, signal), async () => {}, {}, EVERYTHING);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

async function untilEmpty(storage: RestStorage, clock: Clock, signal: AbortSignal): Promise<void> {
  const passing = durationClock(clock);
  const until = passing.now() + PATIENCE_MS;
  for (;;) {
    const { items } = await listAll(storage, signal);
    if (items.length === 0) return;
    if (passing.now() >= until) throw new Error('timed out waiting for the condition');
    await sleep(clock, POLL_MS, signal);
    signal.throwIfAborted();
  }
}

function listAll(storage: RestStorage, signal: AbortSignal): Promise<StoredList> {
  if (storage.list === undefined) throw new TypeError('custom resources can be listed');
  return storage.list(contextOf('', signal), EVERYTHING);
}

function contextOf(namespace: string, signal: AbortSignal): VerbContext {
  return { namespace, user: undefined, requestInfo: undefined, warnings: { warn: () => {} }, signal };
}
