import type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionEndpoint,
  AdmissionOperation,
  AdmissionPlugin,
  RequestScope,
} from '@apiserver/apiserver-contracts';

/** The two phases, by their names in metrics. */
export type AdmissionPhase = 'admit' | 'validate';

/** The requests to one endpoint, by phase and operation. */
type EndpointPlans = Readonly<Record<AdmissionPhase, Readonly<Record<AdmissionOperation, PhasePlan>>>>;

/** One phase of the requests of one operation to an endpoint. */
interface PhasePlan {
  readonly steps: readonly PhaseStep[];
  /** The plugins behind the last step. */
  readonly skippedAfter: SkippedRuns;
}

/** A plugin that handles the requests. */
interface PhaseStep {
  readonly plugin: AdmissionPlugin;
  /** The plugins between the previous step and this one. */
  readonly skippedBefore: SkippedRuns;
  /** This plugin while it is not active. */
  readonly inactive: SkippedRuns;
}

/** Counts how often a phase passed plugins that had nothing to do. Upstream calls them, and they return at once. */
export interface SkippedRuns {
  runs: number;
}

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
    /** The end, as `now` tells it. */
    readonly at: number;
  }): void;
  /** The counter of plugins that a phase passes together; called once for each endpoint. */
  skipped(phase: AdmissionPhase, operation: AdmissionOperation, plugins: readonly string[]): SkippedRuns;
}

/** The observation of a chain. */
export interface ChainObservation {
  readonly observer: AdmissionObserver;
  /** The operations for which upstream calls a plugin, whatever the resource. */
  operationsOf(plugin: AdmissionPlugin): readonly AdmissionOperation[];
}

/**
 * Combines plugins. Each phase runs the plugins that handle the request, in the order given, and stops at the first
 * refusal. The chain selects them once per endpoint.
 * Upstream: k8s.io/apiserver/pkg/admission/chain.go
 */
export function createAdmissionChain(
  plugins: readonly AdmissionPlugin[],
  observation?: ChainObservation,
): AdmissionChain {
  const { observer } = observation ?? {};
  /** Weak, because the endpoints of custom resources come and go. */
  const known = new WeakMap<RequestScope, EndpointPlans>();
  const plansOf = (scope: RequestScope): EndpointPlans => {
    let found = known.get(scope);
    if (found === undefined) {
      const planner = new PhasePlanner(plugins, scope, observation);
      found = { admit: planner.plans('admit'), validate: planner.plans('validate') };
      known.set(scope, found);
    }
    return found;
  };
  return {
    handles(operation, scope) {
      const { admit, validate } = plansOf(scope);
      return admit[operation].steps.some(hasActivePlugin) || validate[operation].steps.some(hasActivePlugin);
    },
    admit(attributes: AdmissionAttributes) {
      const plan = plansOf(attributes.scope).admit[attributes.operation];
      return new PhaseRun(observer, 'admit', attributes).run(plan);
    },
    validate(attributes: AdmissionAttributes) {
      const plan = plansOf(attributes.scope).validate[attributes.operation];
      return new PhaseRun(observer, 'validate', attributes).run(plan);
    },
  };
}

function hasActivePlugin({ plugin }: PhaseStep): boolean {
  return isActive(plugin);
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

  run(plan: PhasePlan): Promise<void> | void {
    const started = this.#observer?.now() ?? 0;
    let pending: Promise<void> | void;
    try {
      pending = this.#runRounds(plan);
    } catch (error) {
      this.#observe(undefined, started, true);
      throw error;
    }
    return this.#ended(undefined, started, pending);
  }

  /** A plugin may request a second round. Upstream: k8s.io/apiserver/pkg/admission/reinvocation.go */
  #runRounds(plan: PhasePlan): Promise<void> | void {
    const pending = this.#runFrom(plan, 0);
    if (this.#phase === 'validate') return pending;
    if (pending !== undefined) return pending.then(() => this.#reinvoke(plan));
    return this.#reinvoke(plan);
  }

  #reinvoke(plan: PhasePlan): Promise<void> | void {
    const { reinvocation } = this.#attributes;
    if (reinvocation?.isRequested !== true) return;
    reinvocation.isReinvoke = true;
    return this.#runFrom(plan, 0);
  }

  #runFrom(plan: PhasePlan, first: number): Promise<void> | void {
    const { steps, skippedAfter } = plan;
    for (let i = first; i < steps.length; i++) {
      const { plugin, skippedBefore, inactive } = steps[i] as PhaseStep;
      skippedBefore.runs++;
      if (!isActive(plugin)) {
        inactive.runs++;
        continue;
      }
      const pending = this.#runOne(plugin);
      if (pending !== undefined) return this.#runBehind(pending, plan, i + 1);
    }
    skippedAfter.runs++;
  }

  /** A separate method: V8 would otherwise allocate the closure's context on every iteration. */
  #runBehind(pending: Promise<void>, plan: PhasePlan, next: number): Promise<void> {
    return pending.then(() => this.#runFrom(plan, next));
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
    const at = observer.now();
    observer.observe({ plugin, phase: this.#phase, operation, rejected, seconds: (at - started) / 1000, at });
  }
}

/** Selects the plugins of an endpoint. */
class PhasePlanner {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #endpoint: AdmissionEndpoint;
  readonly #observation: ChainObservation | undefined;

  constructor(
    plugins: readonly AdmissionPlugin[],
    endpoint: AdmissionEndpoint,
    observation: ChainObservation | undefined,
  ) {
    this.#plugins = plugins;
    this.#endpoint = endpoint;
    this.#observation = observation;
  }

  plans(phase: AdmissionPhase): Readonly<Record<AdmissionOperation, PhasePlan>> {
    return {
      CREATE: this.#plan(phase, 'CREATE'),
      UPDATE: this.#plan(phase, 'UPDATE'),
      DELETE: this.#plan(phase, 'DELETE'),
      CONNECT: this.#plan(phase, 'CONNECT'),
    };
  }

  #plan(phase: AdmissionPhase, operation: AdmissionOperation): PhasePlan {
    const steps: PhaseStep[] = [];
    const runsOf = (names: readonly string[]) =>
      this.#observation?.observer.skipped(phase, operation, names) ?? { runs: 0 };
    let skipped: string[] = [];
    for (const plugin of this.#plugins) {
      if (plugin[phase] === undefined) continue;
      if (plugin.handles(operation, this.#endpoint)) {
        steps.push({ plugin, skippedBefore: runsOf(skipped), inactive: runsOf([plugin.name]) });
        skipped = [];
      } else if (this.#observation?.operationsOf(plugin).includes(operation)) skipped.push(plugin.name);
    }
    return { steps, skippedAfter: runsOf(skipped) };
  }
}
