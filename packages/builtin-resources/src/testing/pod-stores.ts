import { type Binding, Pod } from '@apiserver/api/core/v1';
import type { Eviction, PodDisruptionBudget } from '@apiserver/api/policy/v1';
import type { Status } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { isStatusError, newConflict } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { ResourceClient, RestStorage, StoredList } from '@apiserver/apiserver-contracts';
import { createStore, createSubresourceStore } from '@apiserver/registry-store';
import { createFakeStorage, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { applyPodDefaults } from '../core/pod/defaults.js';
import { withEviction } from '../core/pod/eviction.js';
import { podDefinition } from '../core/pod/index.js';
import { DEFAULT_POD_FEATURES, type PodFeatures } from '../core/pod-spec/pod-features.js';

const codec = compileKind(Pod);
const context = testContext({ namespace: 'ns' });
const admit = async () => {};

/** The stores of pods and of their subresources in memory. The methods are about the pod "p" of the namespace "ns". */
export class PodStores {
  readonly status: RestStorage<Pod>;
  readonly resize: RestStorage<Pod>;
  /** The budgets that evictions find. */
  budgets: PodDisruptionBudget[] = [];
  /** The number of the next budget writes that conflict. */
  overtaken = 0;
  /** Milliseconds of the pauses before evictions tried again. */
  readonly slept: number[] = [];
  readonly #pods: RestStorage<Pod>;
  readonly #binding: RestStorage<Binding>;
  readonly #eviction: RestStorage<Eviction>;

  constructor(features: PodFeatures = DEFAULT_POD_FEATURES) {
    const sleep = async (milliseconds: number) => void this.slept.push(milliseconds);
    const budgets = this.#budgetClient();
    const definition = withEviction(podDefinition(features), { budgets, retry: { random: () => 0, sleep } });
    const options = { definition, storage: createFakeStorage<Pod>(), ...testStoreSources<Pod>() };
    const of = (name: string) => {
      const subresource = definition.subresources[name];
      if (subresource === undefined) throw new Error(`pods have no ${name}`);
      return createSubresourceStore(options, subresource) as RestStorage;
    };
    this.#pods = createStore(options);
    this.status = of('status') as unknown as RestStorage<Pod>;
    this.resize = of('resize') as unknown as RestStorage<Pod>;
    this.#binding = of('binding') as unknown as RestStorage<Binding>;
    this.#eviction = of('eviction') as unknown as RestStorage<Eviction>;
  }

  async create(spec: object = {}, metadata: object = {}): Promise<Pod> {
    const sent = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', labels: { app: 'a' }, ...metadata },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    };
    const { object } = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict');
    codec.applyDefaults(object);
    applyPodDefaults(object as Pod, DEFAULT_POD_FEATURES);
    const made = await this.#pods.create?.(context, object as Pod, admit, {});
    if (made === undefined) throw new Error('pods cannot be created');
    return made.object;
  }

  async current(): Promise<Pod | undefined> {
    return (await this.#pods.get?.(context, 'p', {}))?.object;
  }

  async delete(): Promise<void> {
    await this.#pods.delete?.(context, 'p', admit, {});
  }

  /** Updates the pod at a subresource. */
  change(subresource: 'status' | 'resize', edit: (pod: Pod) => void) {
    return this[subresource].update?.(context, {
      name: 'p',
      objectInfo: {
        updatedObject: (_context, old) => {
          const pod = cloneJson(old as Pod);
          edit(pod);
          return pod;
        },
      },
      validateCreate: admit,
      validateUpdate: admit,
      forceAllowCreate: false,
      options: {},
    });
  }

  /** Posts a binding to the pod of that name. */
  bind(order: Binding, options = {}, name = 'p') {
    return this.#binding.create?.(requestFor(name), order, admit, options);
  }

  evict(order: Eviction, options = {}) {
    return this.#eviction.create?.(requestFor('p'), order, admit, options);
  }

  #budgetClient(): ResourceClient<PodDisruptionBudget> {
    return {
      list: async () =>
        ({ items: this.budgets.map((object) => ({ object })) }) as unknown as StoredList<PodDisruptionBudget>,
      get: async (_namespace: string, name: string) => {
        const found = this.budgets.find(({ metadata }) => metadata.name === name);
        if (found === undefined) throw new Error(`no budget ${name}`);
        return found;
      },
      update: async (_namespace: string, budget: PodDisruptionBudget) => {
        if (this.overtaken-- > 0) {
          throw newConflict({ group: 'policy', resource: 'poddisruptionbudgets' }, 'b', 'overtaken');
        }
        this.budgets = [budget];
        return budget;
      },
    } as unknown as ResourceClient<PodDisruptionBudget>;
  }
}

function requestFor(name: string): typeof context {
  return Object.assign(Object.create(context), { requestInfo: { name, resource: 'pods' } });
}

/** The status of the error, or a text if there is none. */
export async function refusal(order: Promise<unknown> | undefined): Promise<Status | 'nothing was refused'> {
  try {
    await order;
    return 'nothing was refused';
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return error.status;
  }
}

/** The response to a binding and to an eviction. */
export const SUCCESS: object = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
