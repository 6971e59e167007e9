import type { ConfigMap } from '@apiserver/api/core/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { RandomInt } from '@apiserver/apimachinery/random';
import { formatDay, parseDay } from '@apiserver/apimachinery/values';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { CONFIG_MAPS, configMapInformer } from '../config-map-informer.js';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';

/** The ConfigMap with the day. Upstream: ConfigMapName of pkg/controlplane/controller/legacytokentracking */
export const LEGACY_TOKEN_TRACKING = {
  namespace: 'kube-system',
  name: 'kube-apiserver-legacy-service-account-token-tracking',
} as const;
const { namespace: NAMESPACE, name: NAME } = LEGACY_TOKEN_TRACKING;
const SINCE = 'since';

/** Minimum interval between creations, so that this server does not compete with one that deletes the ConfigMap. */
const CREATION_MS = 30 * 60 * 1000;
const FIRST_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;

/** Dependencies of the controller. */
export interface LegacyTokenTrackingOptions {
  /** Resolves when the server is ready: readiness does not depend on this controller. */
  whenReady(): Promise<void>;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/**
 * Records, in a ConfigMap of kube-system, the day since which the use of legacy service account tokens is tracked.
 * Before that day, legacy-serviceaccount-token-cleaner-controller treats no token as unused.
 * Upstream: pkg/controlplane/controller/legacytokentracking/controller.go
 */
export function legacyTokenTrackingController(options: LegacyTokenTrackingOptions): ControllerHook {
  return {
    name: 'start-legacy-token-tracking-controller',
    async run(context) {
      void follow(context, options);
    },
  };
}

/** Never rejects. */
async function follow(context: ControllerContext, options: LegacyTokenTrackingOptions) {
  const { loopbackClient, signal } = context;
  await options.whenReady().catch(() => {});
  if (signal.aborted) return;
  const informer = configMapInformer(context, LEGACY_TOKEN_TRACKING, options);
  try {
    await informer.synced(signal);
  } catch {
    return;
  }
  const keeper = new TrackingKeeper(loopbackClient.resource<ConfigMap>(CONFIG_MAPS), informer, options, signal);
  const look = (): void => void keeper.look();
  informer.subscribe({ added: look, updated: look, deleted: look });
  // A missing ConfigMap causes no event.
  look();
}

/** Runs one check at a time, and one more for any events during it. */
class TrackingKeeper {
  readonly #client: ResourceClient<ConfigMap>;
  readonly #informer: Informer<ConfigMap>;
  readonly #options: LegacyTokenTrackingOptions;
  readonly #signal: AbortSignal;
  #isLooking = false;
  #lookAgain = false;
  #failures = 0;
  #creationNotBefore = 0;
  #cancelLater = (): void => {};

  constructor(
    client: ResourceClient<ConfigMap>,
    informer: Informer<ConfigMap>,
    options: LegacyTokenTrackingOptions,
    signal: AbortSignal,
  ) {
    this.#client = client;
    this.#informer = informer;
    this.#options = options;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#cancelLater(), { once: true });
  }

  /** Never rejects. */
  async look(): Promise<void> {
    this.#lookAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#lookAgain && !this.#signal.aborted) {
      this.#lookAgain = false;
      await this.#sync();
    }
    this.#isLooking = false;
  }

  async #sync(): Promise<void> {
    try {
      const existing = this.#informer.get(NAMESPACE, NAME);
      await (existing === undefined ? this.#create() : this.#repair(existing));
      this.#failures = 0;
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#options.logger.error(error, 'Error while syncing ConfigMap', { configmap: `${NAMESPACE}/${NAME}` });
      this.#later(Math.min(FIRST_RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS));
      this.#failures += 1;
    }
  }

  async #create(): Promise<void> {
    const now = this.#options.clock.now();
    if (now < this.#creationNotBefore) return this.#later(this.#creationNotBefore - now);
    const metadata = { name: NAME, namespace: NAMESPACE };
    try {
      await this.#client.create(NAMESPACE, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { [SINCE]: formatDay(now) },
      });
    } catch (error) {
      // Another server created it first, which counts as a creation by this server; other failures do not.
      if (!isAlreadyExists(error)) throw error;
    }
    this.#creationNotBefore = now + CREATION_MS;
  }

  async #repair(existing: ConfigMap): Promise<void> {
    if (parseDay(existing.data?.[SINCE] ?? '') !== undefined) return;
    const data = { ...existing.data, [SINCE]: formatDay(this.#options.clock.now()) };
    try {
      await this.#client.update(NAMESPACE, { ...cloneJson(existing), data });
    } catch (error) {
      // The event of that change causes the next attempt.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #later(milliseconds: number): void {
    this.#cancelLater();
    this.#cancelLater = this.#options.clock.schedule(() => void this.look(), milliseconds);
  }
}
