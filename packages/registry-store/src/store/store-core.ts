import type { GroupKind, GroupResource, KubeObject } from '@apiserver/apimachinery';
import { durationClock } from '@apiserver/apimachinery/clock';
import { once } from '@apiserver/apimachinery/lazy';
import type { RandomInt } from '@apiserver/apimachinery/random';
import { formatTime } from '@apiserver/apimachinery/values';
import type { ResourceDefinition, Storage, StoreHooks, Strategy, VerbContext } from '@apiserver/apiserver-contracts';
import { interpretError, type StorageOperation } from '../interpret-error.js';
import { storagePolicyOf } from '../semantics/policies.js';
import type { WritePolicy } from '../semantics/storage-policy.js';
import { dryRunStorage } from './dry-run-storage.js';
import type { StoreOptions } from './store-options.js';

/** Dependencies of every verb of one Store; created once per Store. */
export interface StoreCore<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly strategy: Strategy<T>;
  readonly hooks: StoreHooks<T>;
  readonly writePolicy: WritePolicy;
  readonly groupKind: GroupKind;
  readonly namespaced: boolean;
  readonly enableGarbageCollection: boolean;
  readonly deleteCollectionWorkers: number;
  readonly random: RandomInt;
  readonly newUid: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A time after so many milliseconds, by the clock for durations. */
  readonly deadlineAfter: (milliseconds: number) => number;
  storage(options: { readonly dryRun?: readonly string[] }): Storage<T>;
}

/** Creates the shared dependencies of a Store's verbs. */
export function newStoreCore<T extends KubeObject>(options: StoreOptions<T>): StoreCore<T> {
  const { definition, storage, clock } = options;
  const withoutWrites = once(() => dryRunStorage(storage, definition.keyPrefix));
  return {
    definition,
    strategy: options.strategy ?? definition.strategy,
    hooks: definition.storeHooks ?? {},
    writePolicy: storagePolicyOf(definition).writes,
    groupKind: { group: definition.group, kind: definition.kind },
    namespaced: definition.scope === 'Namespaced',
    enableGarbageCollection: options.enableGarbageCollection ?? true,
    deleteCollectionWorkers: Math.max(1, options.deleteCollectionWorkers ?? 1),
    random: options.random,
    newUid: options.newUid,
    now: () => clock.now(),
    deadlineAfter: (milliseconds) => durationClock(clock).now() + milliseconds,
    storage: (request) => (isDryRun(request) ? withoutWrites() : storage),
  };
}

/**
 * The resource in error messages: as requested, else as defined. They differ if a request reads another resource.
 * Upstream: Store.qualifiedResourceFromContext of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export function groupResourceOf(
  { definition }: { readonly definition: GroupResource },
  { requestInfo }: Pick<VerbContext, 'requestInfo'>,
): GroupResource {
  if (requestInfo?.isResourceRequest) return { group: requestInfo.apiGroup, resource: requestInfo.resource };
  return { group: definition.group, resource: definition.resource };
}

/** Converts a failure of storage; StatusErrors and bugs are unchanged. */
export function interpret<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  failure: { readonly error: unknown; readonly name: string; readonly operation: StorageOperation },
): unknown {
  return interpretError(failure.error, groupResourceOf(core, context), failure.name, failure.operation);
}

/** The current time in the format of metadata. */
export function timestamp<T extends KubeObject>(core: StoreCore<T>): string {
  return formatTime(core.now());
}

/** Reports whether the options of a request ask for a dry run. Upstream: k8s.io/apiserver/pkg/util/dryrun */
export function isDryRun(options: { readonly dryRun?: readonly string[] }): boolean {
  return options.dryRun !== undefined && options.dryRun.length > 0;
}
