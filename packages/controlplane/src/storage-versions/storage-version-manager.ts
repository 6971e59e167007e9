import type { ServerStorageVersion, StorageVersion } from '@apiserver/api/apiserverinternal/v1alpha1';
import { formatGroupResource, type GroupResource } from '@apiserver/apimachinery';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isConflict, messageOf, unlessNotFound } from '@apiserver/apimachinery/errors';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { withServerVersions } from './server-versions.js';
import type { StoredResource } from './stored-resource.js';

const STORAGE_VERSIONS = { group: 'internal.apiserver.k8s.io', version: 'v1alpha1', resource: 'storageversions' };
const RETRIES = 3;
const RETRY_MS = 1000;

/** Dependencies of the manager. */
export interface StorageVersionManagerOptions {
  /** The identity of this server, from `apiServerID`. */
  readonly id: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface UpdateState {
  isDone: boolean;
  lastError?: unknown;
}

/**
 * Records in which versions this server stores its resources, and knows which ones are not recorded yet.
 * Upstream: k8s.io/apiserver/pkg/storageversion/manager.go
 */
export class StorageVersionManager {
  readonly #options: StorageVersionManagerOptions;
  #resources: readonly StoredResource[] = [];
  readonly #states = new Map<string, UpdateState>();
  readonly #completion = Promise.withResolvers<void>();
  #isCompleted = false;

  constructor(options: StorageVersionManagerOptions) {
    this.#options = options;
  }

  /** The identity of this server. */
  get id(): string {
    return this.#options.id;
  }

  /** True once all resources are recorded. */
  get isCompleted(): boolean {
    return this.#isCompleted;
  }

  /** Resolves once all resources are recorded. */
  get completed(): Promise<void> {
    return this.#completion.promise;
  }

  /** Names the resources to record. Of those with the same stored objects, one is recorded. */
  expect(resources: readonly StoredResource[]): void {
    this.#resources = withoutEquivalents(resources.toSorted(compareResources));
    for (const resource of resources) this.#states.set(formatGroupResource(resource), { isDone: false });
  }

  /** True for a resource that is not recorded yet. */
  isPending(resource: GroupResource): boolean {
    return this.#states.get(formatGroupResource(resource))?.isDone === false;
  }

  /** The error of the last attempt to record a resource, as Go prints it. */
  lastError(resource: GroupResource): string {
    const error = this.#states.get(formatGroupResource(resource))?.lastError;
    if (error === undefined) return '<nil>';
    return messageOf(error);
  }

  /** Records all resources. Never rejects. */
  async update(loopbackClient: LoopbackClient, signal: AbortSignal): Promise<void> {
    const client = loopbackClient.resource<StorageVersion>(STORAGE_VERSIONS);
    let hasFailed = false;
    for (const stored of this.#resources) {
      if (signal.aborted) return;
      const states = [stored, ...stored.equivalents].flatMap((one) => this.#states.get(formatGroupResource(one)) ?? []);
      const failure = await this.#record(client, stored, signal);
      for (const state of states) {
        if (failure === undefined) state.isDone = true;
        state.lastError = failure?.error;
      }
      if (failure !== undefined) hasFailed = true;
      if (failure !== undefined && !signal.aborted) {
        this.#options.logger.error(failure.error, 'Failed to update a storage version', {
          resource: formatGroupResource(stored),
        });
      }
    }
    if (hasFailed) return;
    this.#isCompleted = true;
    this.#completion.resolve();
  }

  /** Conflicts with other servers are tried again without end. */
  async #record(
    client: ResourceClient<StorageVersion>,
    stored: StoredResource,
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { id, clock } = this.#options;
    for (let failures = 0; ; ) {
      try {
        const own: ServerStorageVersion = {
          apiServerID: id,
          encodingVersion: stored.encodingVersion,
          decodableVersions: [...(await stored.decodableVersions())],
          servedVersions: [...stored.servedVersions],
        };
        await record(client, `${stored.group || 'core'}.${stored.resource}`, own, clock.now());
        return undefined;
      } catch (error) {
        if (!isAlreadyExists(error) && !isConflict(error)) failures++;
        await sleep(clock, RETRY_MS, signal);
        if (failures === RETRIES || signal.aborted) return { error };
      }
    }
  }
}

async function record(
  client: ResourceClient<StorageVersion>,
  name: string,
  own: ServerStorageVersion,
  now: number,
): Promise<void> {
  const present = await unlessNotFound(client.get('', name));
  const status = withServerVersions(present ?? { metadata: {}, status: {} }, own, now);
  const stored = present ?? (await client.create('', newStorageVersion(name)));
  await client.update('', { ...stored, status }, { subresource: 'status' });
}

function newStorageVersion(name: string): StorageVersion {
  return {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    metadata: { name },
    spec: {},
    status: {},
  };
}

function withoutEquivalents(resources: readonly StoredResource[]): readonly StoredResource[] {
  const seen = new Set<string>();
  return resources.filter((stored) => {
    if (seen.has(formatGroupResource(stored))) return false;
    for (const one of [stored, ...stored.equivalents]) seen.add(formatGroupResource(one));
    return true;
  });
}

function compareResources(a: GroupResource, b: GroupResource): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return a.resource < b.resource ? -1 : 1;
}
