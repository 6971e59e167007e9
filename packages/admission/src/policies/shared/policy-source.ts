import { once } from '@apiserver/apimachinery/lazy';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { ParameterKinds } from './parameter-kinds.js';
import { type AnyBinding, type AnyPolicy, type PolicyHook, policyHook } from './policy-hook.js';

/** Input of `PolicySource`. */
export interface PolicySourceOptions<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly policies: Informer<P>;
  readonly bindings: Informer<B>;
  readonly parameters: ParameterKinds;
  compile(policy: P): Promise<E>;
}

/** A policy that has been compiled, or will be. */
interface CompiledPolicy<P, E> {
  readonly policy: P;
  evaluator(): E | Promise<E>;
}

/**
 * The policies that are bound, with their bindings. They are gathered again when a request comes after a change. A
 * policy is compiled when it first selects a request, and again only after it has changed.
 *
 * Upstream: policySource of k8s.io/apiserver/pkg/admission/plugin/policy/generic, which gathers them once in a second
 */
export class PolicySource<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly #options: PolicySourceOptions<P, B, E>;
  #compiled: ReadonlyMap<string, CompiledPolicy<P, E>> = new Map();
  #hooks: readonly PolicyHook<P, B, E>[] = [];
  #subscribed = false;
  #changed = true;

  constructor(options: PolicySourceOptions<P, B, E>) {
    this.#options = options;
  }

  /** The hooks by the names of their policies. Both informers must have synced. */
  hooks(): readonly PolicyHook<P, B, E>[] {
    if (!this.#subscribed) this.#subscribe();
    if (this.#changed) {
      this.#changed = false;
      this.#hooks = this.#gather();
    }
    return this.#hooks;
  }

  #subscribe(): void {
    this.#subscribed = true;
    const changed = () => {
      this.#changed = true;
    };
    const handlers = { added: changed, updated: changed, deleted: changed };
    this.#options.policies.subscribe(handlers);
    this.#options.bindings.subscribe(handlers);
  }

  #gather(): readonly PolicyHook<P, B, E>[] {
    const byPolicy = Map.groupBy(this.#options.bindings.list(), ({ spec }) => spec.policyName ?? '');
    const bound = this.#options.policies
      .list()
      .filter(({ metadata }) => byPolicy.has(metadata.name ?? ''))
      .toSorted(byName);
    const kinds = this.#options.parameters.use(bound.map(({ spec }) => spec.paramKind));
    this.#compiled = new Map(bound.map((policy) => [policy.metadata.name ?? '', this.#compile(policy)]));
    return bound.map((policy, index) => {
      const bindings = (byPolicy.get(policy.metadata.name ?? '') ?? []).toSorted(byName);
      const { evaluator } = this.#compile(policy);
      return policyHook<P, B, E>(policy, bindings, { parameters: kinds[index], evaluator });
    });
  }

  #compile(policy: P): CompiledPolicy<P, E> {
    const known = this.#compiled.get(policy.metadata.name ?? '');
    if (known !== undefined && isSameGeneration(known.policy, policy)) return known;
    return { policy, evaluator: compiledOnce(() => this.#options.compile(policy)) };
  }
}

/** Awaiting a compiled policy would cost each request a turn of the queue of promises. */
function compiledOnce<E>(compile: () => Promise<E>): () => E | Promise<E> {
  let compiled: { readonly evaluator: E } | undefined;
  const compiling = once(async () => {
    const evaluator = await compile();
    compiled = { evaluator };
    return evaluator;
  });
  return () => (compiled === undefined ? compiling() : compiled.evaluator);
}

/** Updates of the status do not change what a policy does. */
function isSameGeneration({ metadata: a }: AnyPolicy, { metadata: b }: AnyPolicy): boolean {
  return (
    a.uid === b.uid &&
    a.generation === b.generation &&
    (a.generation !== undefined || a.resourceVersion === b.resourceVersion)
  );
}

function byName(a: AnyPolicy | AnyBinding, b: AnyPolicy | AnyBinding): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
