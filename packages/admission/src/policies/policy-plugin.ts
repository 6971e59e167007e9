import type { GroupVersionResource } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { RequestMatcher } from '../matching/request-matcher.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';
import { ParameterKinds } from './parameter-kinds.js';
import type { AnyBinding, AnyPolicy, PolicyHook } from './policy-hook.js';
import { PolicySource } from './policy-source.js';

/** The part of a plugin that needs the expression language. */
export interface PolicyEngine<P extends AnyPolicy, B extends AnyBinding, E> {
  compile(policy: P): E;
  /** Undefined if no policy selects the request. */
  dispatch(attributes: AdmissionAttributes, hooks: readonly PolicyHook<P, B, E>[]): Promise<void> | undefined;
}

/** The parts in which the plugins differ. */
export interface PolicyPluginOptions<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly policies: GroupVersionResource;
  readonly bindings: GroupVersionResource;
  /** Called with the first policy: the expression language takes megabytes. */
  loadEngine(matcher: RequestMatcher): Promise<PolicyEngine<P, B, E>>;
}

/**
 * A plugin that evaluates policies.
 * Upstream: Plugin of k8s.io/apiserver/pkg/admission/plugin/policy/generic/plugin.go
 */
export class PolicyPlugin<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly #options: PolicyPluginOptions<P, B, E>;
  readonly #matcher: RequestMatcher;
  readonly #view: ViewReadiness;
  readonly #source: PolicySource<P, B, E>;
  #loading: Promise<PolicyEngine<P, B, E>> | undefined;
  #engine: PolicyEngine<P, B, E> | undefined;

  constructor(dependencies: AdmissionPluginDependencies, options: PolicyPluginOptions<P, B, E>) {
    const { informer, clock } = dependencies;
    this.#options = options;
    this.#matcher = new RequestMatcher(dependencies);
    const policies = informer<P>(options.policies);
    const bindings = informer<B>(options.bindings);
    this.#view = new ViewReadiness(policies, bindings, this.#matcher.namespaces);
    this.#source = new PolicySource({
      policies,
      bindings,
      parameters: new ParameterKinds(dependencies, clock),
      compile: async (policy: P) => (await this.#load()).compile(policy),
    });
  }

  /** False if there is no policy. */
  get isActive(): boolean {
    return !this.#view.isReady || this.#source.hooks().length > 0;
  }

  /** Rejects, or throws, with the refusal. */
  run(attributes: AdmissionAttributes): Promise<void> | void {
    const waiting = this.#view.ready(attributes);
    return waiting === undefined ? this.#dispatch(attributes) : waiting.then(() => this.#dispatch(attributes));
  }

  #dispatch(attributes: AdmissionAttributes): Promise<void> | void {
    const hooks = this.#source.hooks();
    if (hooks.length === 0) return;
    if (this.#engine !== undefined) return this.#engine.dispatch(attributes, hooks);
    return this.#load().then((engine) => engine.dispatch(attributes, hooks));
  }

  #load(): Promise<PolicyEngine<P, B, E>> {
    this.#loading ??= this.#options.loadEngine(this.#matcher).then((engine) => {
      this.#engine = engine;
      return engine;
    });
    return this.#loading;
  }
}
