import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ServerIdentity } from '@apiserver/bootstrap-pki';
import { type FirstObject, firstObjectMarks, recordFirstObjects } from '@apiserver/controlplane';
import { createCodecCache } from '@apiserver/endpoints-installer';
import { type KeyValueStore, KnownObjects, type ObjectSource, SharedObjects } from '@apiserver/registry-store';
import type { SharedConfig } from '../config/create-config.js';
import { KnownCertificates } from '../config/known-certificates.js';
import { KnownTokenKeys } from '../config/service-accounts.js';
import type { KubeApiserverOptions } from '../options/kube-apiserver-options.js';

/** Different options that are kept, at 60 KB each. */
const MAX_OPTIONS = 8;

/**
 * Parts that servers of one process share, because no client can see whether they do: compiled kinds, options, keys and
 * certificates of one folder, and the objects that a start creates. The folder need not survive a crash. Pass one to
 * each `startKubeApiserver`.
 */
export class SharedContext implements SharedConfig {
  /** Compiles each kind once. */
  readonly codecFor: (schema: KindSchema) => KindCodec = createCodecCache();
  readonly tokenKeys = new KnownTokenKeys();
  readonly certificates = new KnownCertificates();
  /** By what determines them, the oldest first. */
  readonly #options = new Map<string, KubeApiserverOptions>();
  readonly #identities = new Map<string, Promise<ServerIdentity>>();
  readonly #firstObjects = new Map<string, readonly FirstObject[]>();
  #known: KnownObjects | undefined = undefined;
  /** Stores that have the bootstrap policy of this build. */
  readonly #prepared = new WeakSet<KeyValueStore>();
  /** The decoded objects of stores that are forks. */
  readonly #forks = new WeakMap<KeyValueStore, SharedObjects>();
  readonly #starting = new WeakMap<KeyValueStore, StartOnEmptyStore>();

  /**
   * Valid options of servers with the same flags and place: the first of them completes them, and they never change.
   */
  options(place: string, make: () => KubeApiserverOptions): KubeApiserverOptions {
    const known = this.#options.get(place) ?? make();
    this.#options.delete(place);
    this.#options.set(place, known);
    const [oldest] = this.#options.keys();
    if (this.#options.size > MAX_OPTIONS && oldest !== undefined) this.#options.delete(oldest);
    return known;
  }

  /** Keys and certificates of servers with the same options. They are checked for the first of them alone. */
  async identity(options: object, ensure: () => Promise<ServerIdentity>): Promise<ServerIdentity> {
    const key = JSON.stringify(options);
    const known = await this.#identities.get(key);
    if (known !== undefined && existsSync(known.servingFiles.keyFile)) return known;
    const made = ensure();
    this.#identities.set(key, made);
    // The caller handles a failure, and the next server tries again.
    made.catch(() => this.#identities.delete(key));
    return await made;
  }

  /** The objects of the first start with the same options. */
  firstObjects(fingerprint: string): readonly FirstObject[] | undefined {
    return this.#firstObjects.get(fingerprint);
  }

  /** The decoded objects of a start, or of the forks that the store belongs to; undefined until a start is complete. */
  knownObjects(store: KeyValueStore): () => ObjectSource | undefined {
    const ofForks = this.#forks.get(store);
    return () => ofForks ?? this.#known;
  }

  /** Objects for `shareObjects`, empty. */
  objectsOfForks(): SharedObjects {
    return new SharedObjects(() => this.#known);
  }

  /** The store has the objects of a start that is complete. The next server on it does not reconcile the policy. */
  prepared(store: KeyValueStore): void {
    this.#prepared.add(store);
  }

  /** The server on this store shares decoded objects with the other forks of one server. All have its options. */
  shareObjects(store: KeyValueStore, objects: SharedObjects): void {
    this.#forks.set(store, objects);
  }

  hasPolicy(store: KeyValueStore): boolean {
    return this.#prepared.has(store);
  }

  /** A server starts on an empty store, and other servers of the process do not have its objects yet. */
  starting(store: KeyValueStore, start: StartOnEmptyStore): void {
    this.#starting.set(store, start);
  }

  /**
   * The server is ready and has no client yet: keeps its objects for others, without UIDs and times. Waits until
   * aggregated roles have rules.
   */
  async started(store: KeyValueStore, root: string): Promise<void> {
    const start = this.#starting.get(store);
    if (start === undefined) return;
    if (start.objects !== undefined) return this.#keep(start.fingerprint, start.objects);
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const objects = await recordFirstObjects(store, root);
      if (objects === undefined) return;
      if (objects.every(isFilled)) return this.#keep(start.fingerprint, objects);
      await sleep(PAUSE_MS);
    }
  }

  #keep(fingerprint: string, objects: readonly FirstObject[]): void {
    this.#firstObjects.set(fingerprint, objects);
    this.#known ??= new KnownObjects(objects, firstObjectMarks);
  }
}

/** A server on a store that was empty. */
export interface StartOnEmptyStore {
  /** Of its options. */
  readonly fingerprint: string;
  /** Its objects, if it took those of the build. */
  readonly objects: readonly FirstObject[] | undefined;
}

/** Aggregated roles get their rules from a controller. */
const PAUSE_MS = 5;
const MAX_TRIES = 100;

function isFilled({ key, text }: FirstObject): boolean {
  if (!key.startsWith('clusterroles/')) return true;
  const { aggregationRule, rules }: { aggregationRule?: object | null; rules?: object[] | null } = JSON.parse(text);
  return aggregationRule == null || (rules != null && rules.length > 0);
}
