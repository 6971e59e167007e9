import type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionEndpoint,
  AdmissionOperation,
  AdmissionPlugin,
  RequestScope,
} from '@apiserver/apiserver-contracts';

/** The plugins that handle requests to one endpoint, by operation. */
interface EndpointPlugins {
  readonly mutating: Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>;
  readonly validating: Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>;
}

/** The two phases, by their names in metrics. */
export type AdmissionPhase = 'admit' | 'validate';

/** Receives the duration of each plugin and of each phase as a whole. */
export interface AdmissionObserver {
  /** The time of a monotonic clock, in milliseconds. */
  now(): number;
  /** `plugin` is undefined for the phase as a whole. */
  observe(observation: {
    readonly plugin: string | undefined;
    readonly phase: AdmissionPhase;
    readonly operation: AdmissionOperation;
    readonly rejected: boolean;
    readonly seconds: number;
  }): void;
}

/**
 * Combines plugins. Each phase runs the plugins that handle the request, in the order given, and stops at the first
 * refusal. The chain selects them once per endpoint.
 * Upstream: k8s.io/apiserver/pkg/admission/chain.go
 */
export function createAdmissionChain(
  plugins: readonly AdmissionPlugin[],
  observer?: AdmissionObserver,
): AdmissionChain {
  const mutating = plugins.filter((plugin) => plugin.admit !== undefined);
  const validating = plugins.filter((plugin) => plugin.validate !== undefined);
  /** Weak, because the endpoints of custom resources come and go. */
  const known = new WeakMap<RequestScope, EndpointPlugins>();
  const pluginsOf = (scope: RequestScope): EndpointPlugins => {
    let found = known.get(scope);
    if (found === undefined) {
      found = { mutating: byOperation(mutating, scope), validating: byOperation(validating, scope) };
      known.set(scope, found);
    }
    return found;
  };
  return {
    handles(operation, scope) {
      const own = pluginsOf(scope);
      return own.mutating[operation].some(isActive) || own.validating[operation].some(isActive);
    },
    admit(attributes: AdmissionAttributes) {
      const own = pluginsOf(attributes.scope).mutating[attributes.operation];
      return new PhaseRun(observer, 'admit', attributes).run(own);
    },
    validate(attributes: AdmissionAttributes) {
      const own = pluginsOf(attributes.scope).validating[attributes.operation];
      return new PhaseRun(observer, 'validate', attributes).run(own);
    },
  };
}

/** Nearly all plugins are always active. */
function isActive(plugin: AdmissionPlugin): boolean {
  return plugin.isActive === undefined || plugin.isActive();
}

/** One phase of one request. It stays synchronous unless a plugin returns a promise: most plugins need no wait. */
class PhaseRun {
  readonly #observer: AdmissionObserver | undefined;
  readonly #phase: AdmissionPhase;
  readonly #attributes: AdmissionAttributes;

  constructor(observer: AdmissionObserver | undefined, phase: AdmissionPhase, attributes: AdmissionAttributes) {
    this.#observer = observer;
    this.#phase = phase;
    this.#attributes = attributes;
  }

  run(plugins: readonly AdmissionPlugin[]): Promise<void> | void {
    const started = this.#observer?.now() ?? 0;
    let pending: Promise<void> | void;
    try {
      pending = this.#runRounds(plugins);
    } catch (error) {
      this.#observe(undefined, started, true);
      throw error;
    }
    return this.#ended(undefined, started, pending);
  }

  /** A plugin may request a second round. Upstream: k8s.io/apiserver/pkg/admission/reinvocation.go */
  #runRounds(plugins: readonly AdmissionPlugin[]): Promise<void> | void {
    const pending = this.#runFrom(plugins, 0);
    if (this.#phase === 'validate') return pending;
    if (pending !== undefined) return pending.then(() => this.#reinvoke(plugins));
    return this.#reinvoke(plugins);
  }

  #reinvoke(plugins: readonly AdmissionPlugin[]): Promise<void> | void {
    const { reinvocation } = this.#attributes;
    if (reinvocation?.isRequested !== true) return;
    reinvocation.isReinvoke = true;
    return this.#runFrom(plugins, 0);
  }

  #runFrom(plugins: readonly AdmissionPlugin[], first: number): Promise<void> | void {
    for (let i = first; i < plugins.length; i++) {
      const plugin = plugins[i] as AdmissionPlugin;
      if (!isActive(plugin)) continue;
      const pending = this.#runOne(plugin);
      if (pending !== undefined) return this.#runBehind(pending, plugins, i + 1);
    }
  }

  /** A separate method: V8 would otherwise allocate the closure's context on every iteration. */
  #runBehind(pending: Promise<void>, plugins: readonly AdmissionPlugin[], next: number): Promise<void> {
    return pending.then(() => this.#runFrom(plugins, next));
  }

  #runOne(plugin: AdmissionPlugin): Promise<void> | void {
    const started = this.#observer?.now() ?? 0;
    let pending: Promise<void> | void;
    try {
      pending = plugin[this.#phase]?.(this.#attributes);
    } catch (error) {
      this.#observe(plugin.name, started, true);
      throw error;
    }
    return this.#ended(plugin.name, started, pending);
  }

  /** `plugin` is undefined for the phase as a whole. */
  #ended(plugin: string | undefined, started: number, pending: Promise<void> | void): Promise<void> | void {
    if (pending === undefined) return this.#observe(plugin, started, false);
    return this.#endedLater(plugin, started, pending);
  }

  #endedLater(plugin: string | undefined, started: number, pending: Promise<void>): Promise<void> {
    return pending.then(
      () => this.#observe(plugin, started, false),
      (error: unknown) => {
        this.#observe(plugin, started, true);
        throw error;
      },
    );
  }

  #observe(plugin: string | undefined, started: number, rejected: boolean): void {
    const observer = this.#observer;
    if (observer === undefined) return;
    const { operation } = this.#attributes;
    observer.observe({ plugin, phase: this.#phase, operation, rejected, seconds: (observer.now() - started) / 1000 });
  }
}

function byOperation(
  plugins: readonly AdmissionPlugin[],
  endpoint: AdmissionEndpoint,
): Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>> {
  const handling = (operation: AdmissionOperation) => plugins.filter((plugin) => plugin.handles(operation, endpoint));
  return {
    CREATE: handling('CREATE'),
    UPDATE: handling('UPDATE'),
    DELETE: handling('DELETE'),
    CONNECT: handling('CONNECT'),
  };
}
