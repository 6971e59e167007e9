import type { GroupVersionResource } from '@apiserver/apimachinery';
import type { AdmissionAttributes, AdmissionEndpoint } from '@apiserver/apiserver-contracts';
import type { PolicyManifests } from '../../manifests/load-policies.js';
import type { ManifestEnvironment } from '../../manifests/manifest-environment.js';
import { readPolicyManifestsDirectory } from '../../manifests/policy-configuration.js';
import { StaticManifests } from '../../manifests/static-manifests.js';
import { RequestMatcher } from '../../matching/request-matcher.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { isPolicyResource, isReviewResource } from './exempt-resources.js';
import { ParameterKinds } from './parameter-kinds.js';
import { type AnyBinding, type AnyPolicy, type PolicyHook, policyHook } from './policy-hook.js';
import { PolicySource } from './policy-source.js';

/** The part of a plugin that needs the expression language. */
export interface PolicyEngine<P extends AnyPolicy, B extends AnyBinding, E> {
  compile(policy: P): Promise<E>;
  /** Undefined if no policy selects the request. */
  dispatch(attributes: AdmissionAttributes, hooks: readonly PolicyHook<P, B, E>[]): Promise<void> | undefined;
}

/** The parts in which the plugins differ. */
export interface PolicyPluginOptions<P extends AnyPolicy, B extends AnyBinding, E> {
  /** The name of the plugin. It is also the kind of its policies. */
  readonly name: 'MutatingAdmissionPolicy' | 'ValidatingAdmissionPolicy';
  readonly policies: GroupVersionResource;
  readonly bindings: GroupVersionResource;
  /** Called with the first policy: the expression language takes megabytes. */
  loadEngine(matcher: RequestMatcher): Promise<PolicyEngine<P, B, E>>;
}

type Hooks<P extends AnyPolicy, B extends AnyBinding, E> = readonly PolicyHook<P, B, E>[];

type PolicyFiles<P extends AnyPolicy, B extends AnyBinding, E> = StaticManifests<PolicyManifests<P, B>, Hooks<P, B, E>>;

/** The hooks of both sources, and the lists that they are made from. */
interface CombinedHooks<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly files: Hooks<P, B, E>;
  readonly api: Hooks<P, B, E>;
  readonly hooks: Hooks<P, B, E>;
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
  readonly #files: PolicyFiles<P, B, E> | undefined;
  #combined: CombinedHooks<P, B, E> | undefined;
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
    const directory = readPolicyManifestsDirectory(dependencies.configuration, options.name, dependencies.features);
    if (directory !== '') this.#files = this.#newFiles(directory, dependencies.manifests);
  }

  /** False for reviews, and for policies unless files have some. */
  handles({ resource }: AdmissionEndpoint): boolean {
    return !isReviewResource(resource) && (this.#files !== undefined || !isPolicyResource(resource));
  }

  /** False if there is no policy. */
  get isActive(): boolean {
    return !this.#view.isReady || this.#hooks().length > 0;
  }

  /** Rejects, or throws, with the refusal. */
  run(attributes: AdmissionAttributes): Promise<void> | void {
    if (this.#files !== undefined && isPolicyResource(attributes.resource)) {
      return this.#dispatch(attributes, this.#files.value);
    }
    const waiting = this.#view.ready(attributes);
    if (waiting === undefined) return this.#dispatch(attributes, this.#hooks());
    return waiting.then(() => this.#dispatch(attributes, this.#hooks()));
  }

  /** The policies of files, followed by those of the API. */
  #hooks(): Hooks<P, B, E> {
    const api = this.#source.hooks();
    if (this.#files === undefined) return api;
    const files = this.#files.value;
    if (this.#combined?.files !== files || this.#combined.api !== api) {
      this.#combined = { files, api, hooks: [...files, ...api] };
    }
    return this.#combined.hooks;
  }

  #newFiles(directory: string, manifests: ManifestEnvironment): PolicyFiles<P, B, E> {
    const { name: plugin } = this.#options;
    return new StaticManifests<PolicyManifests<P, B>, Hooks<P, B, E>>(
      {
        plugin,
        content: 'policy',
        directory,
        load: async () => {
          const { loadPolicies } = await import('../../manifests/load-policies.js');
          return loadPolicies<P, B>(directory, plugin, manifests.kinds);
        },
        compile: (read) => this.#compileFiles(read),
      },
      manifests,
      [],
    );
  }

  async #compileFiles({ policies, bindings }: PolicyManifests<P, B>): Promise<Hooks<P, B, E>> {
    if (policies.length === 0) return [];
    const engine = await this.#load();
    const byPolicy = Map.groupBy(bindings, ({ spec }) => spec.policyName ?? '');
    const hooks: PolicyHook<P, B, E>[] = [];
    for (const policy of policies) {
      const compiled = await engine.compile(policy);
      const parts = { parameters: undefined, evaluator: () => compiled };
      hooks.push(policyHook<P, B, E>(policy, byPolicy.get(policy.metadata.name ?? '') ?? [], parts));
    }
    return hooks;
  }

  #dispatch(attributes: AdmissionAttributes, hooks: Hooks<P, B, E>): Promise<void> | void {
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
