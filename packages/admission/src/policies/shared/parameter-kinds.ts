import type { ParamKind } from '@apiserver/api/admissionregistration/v1';
import { formatGroupVersionKind, type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { type Clock, durationClock, hasElapsed, monotonicClock, withTimeout } from '@apiserver/apimachinery/clock';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { AdmissionPluginDependencies, MappedResource } from '../../plugin-definition.js';

/** Milliseconds before an unknown kind is looked up again. */
const RETRY_MS = 1_000;

/** Milliseconds for which a request waits for the first list of parameters. */
const SYNC_MS = 1_000;

/** Access to objects of kinds that are known only at run time. */
export type ParameterAccess = Pick<AdmissionPluginDependencies, 'resourcesOf' | 'newInformer'>;

/** The objects of a kind of parameters. */
export interface ParameterView {
  readonly mapping: MappedResource;
  readonly informer: Informer<KubeObject>;
}

/**
 * A kind of parameters, and its informer. The kind may be unknown, as that of a CustomResourceDefinition to come: it is
 * looked up again by later requests, at most once in a second.
 */
export class ParameterKind {
  readonly #kind: ParamKind;
  readonly #access: ParameterAccess;
  readonly #clock: Clock;
  #view: Promise<ParameterView | undefined> | undefined;
  #found: ParameterView | undefined;
  #lookedUp = Number.NEGATIVE_INFINITY;
  #disposed = false;

  constructor(kind: ParamKind, access: ParameterAccess, clock: Clock) {
    this.#kind = kind;
    this.#access = access;
    this.#clock = durationClock(clock);
  }

  get apiVersion(): string {
    return this.#kind.apiVersion ?? '';
  }

  get kind(): string {
    return this.#kind.kind ?? '';
  }

  /** The error of a policy whose kind is unknown. */
  get unknown(): string {
    const { group, version } = tryParseGroupVersion(this.apiVersion) ?? { group: '', version: this.apiVersion };
    const kind = formatGroupVersionKind({ group, version, kind: this.kind });
    return `failed to find resource referenced by paramKind: '${kind}'`;
  }

  /** The error of a policy whose parameters have not been listed in time. */
  get notSynced(): string {
    return `paramKind kind \`&ParamKind{APIVersion:${this.apiVersion},Kind:${this.kind},}\` not yet synced to use for admission`;
  }

  /** The view; undefined for an unknown kind. Starts the informer. */
  view(): Promise<ParameterView | undefined> {
    const isStale = this.#found === undefined && hasElapsed(this.#clock, this.#lookedUp, RETRY_MS);
    if (this.#view === undefined || isStale) {
      this.#lookedUp = this.#clock.now();
      this.#view = this.#lookUp();
    }
    return this.#view;
  }

  /** Waits for the first list. False if it takes too long. */
  async synced({ informer }: ParameterView): Promise<boolean> {
    try {
      await withTimeout({ clock: monotonicClock, milliseconds: SYNC_MS }, (signal) => informer.synced(signal));
      return true;
    } catch {
      return false;
    }
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#found?.informer[Symbol.asyncDispose]();
  }

  async #lookUp(): Promise<ParameterView | undefined> {
    const groupVersion = tryParseGroupVersion(this.apiVersion);
    const [mapping] = groupVersion ? await this.#access.resourcesOf({ ...groupVersion, kind: this.kind }) : [];
    if (mapping === undefined || this.#disposed) return undefined;
    this.#found ??= { mapping, informer: this.#access.newInformer(mapping.resource) };
    // Starts the informer, so that the first request finds it synced.
    this.#found.informer.list();
    return this.#found;
  }
}

/** The kinds of parameters that policies use. */
export class ParameterKinds {
  readonly #access: ParameterAccess;
  readonly #clock: Clock;
  #kinds: ReadonlyMap<string, ParameterKind> = new Map();

  constructor(access: ParameterAccess, clock: Clock) {
    this.#access = access;
    this.#clock = durationClock(clock);
  }

  /** Keeps the kinds of these policies, and stops the informers of others. Returns the kinds in the same order. */
  use(kinds: readonly (ParamKind | undefined)[]): readonly (ParameterKind | undefined)[] {
    const kept = new Map<string, ParameterKind>();
    const used = kinds.map((kind) => {
      if (kind === undefined) return undefined;
      const key = `${kind.apiVersion}/${kind.kind}`;
      const parameters = kept.get(key) ?? this.#kinds.get(key) ?? this.#start(kind);
      kept.set(key, parameters);
      return parameters;
    });
    for (const [key, unused] of this.#kinds) if (!kept.has(key)) void unused.dispose();
    this.#kinds = kept;
    return used;
  }

  #start(kind: ParamKind): ParameterKind {
    const parameters = new ParameterKind(kind, this.#access, this.#clock);
    // A failure is that of the first request.
    parameters.view().catch(() => undefined);
    return parameters;
  }
}
