import type { ConfigMap, Pod, Secret, ServiceAccount } from '@apiserver/api/core/v1';
import { repeat, whenAborted } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound, unlessNotFound } from '@apiserver/apimachinery/errors';
import { formatDay, parseDay } from '@apiserver/apimachinery/values';
import { legacyTokenLabels, loadedObjects } from '@apiserver/apiserver-contracts';
import { LEGACY_TOKEN_TRACKING } from '@apiserver/controlplane';
import { podSecretNames } from '@apiserver/resource-kit/pods';
import type { ControllerContext } from '../controller.js';
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from '../resources.js';
import { ofUid, secretReference, TOKEN_SECRETS } from './token-secrets.js';

const { lastUsed: LAST_USED, invalidSince: INVALID_SINCE } = legacyTokenLabels;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Upstream: --legacy-service-account-token-clean-up-period */
const UNUSED_MS = 365 * DAY_MS;
/** Upstream: DefaultCleanerSyncInterval */
const INTERVAL_MS = DAY_MS;

/**
 * Marks tokens in secrets that a service account lists, if they were unused for a year. Deletes them after another.
 * Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go
 */
export async function runLegacyTokenCleaner(context: ControllerContext): Promise<void> {
  const { signal, clock, logger } = context;
  const secrets = context.informer<Secret>(SECRETS, TOKEN_SECRETS);
  const accounts = context.informer<ServiceAccount>(SERVICE_ACCOUNTS);
  await Promise.all([secrets.synced(signal), accounts.synced(signal)]);
  const accountOf = (secret: Secret) => {
    const { namespace, account, accountUid } = secretReference(secret);
    return ofUid(accounts.get(namespace, account), accountUid);
  };
  const clean = async () => {
    const pass = new CleaningPass(context);
    if (!(await pass.isTrackedLongEnough())) return;
    for (const secret of secrets.list()) {
      if (signal.aborted) return;
      if (!pass.isUnused(secret) || !isGenerated(secret, accountOf(secret))) continue;
      await pass.clean(secret).catch((error: unknown) => {
        logger.error(error, 'Cleaning legacy service account token', { secret: nameOf(secret) });
      });
    }
  };
  let pass = Promise.resolve();
  const runPass = () => {
    pass = pass.then(clean).catch((error: unknown) => {
      logger.error(error, 'Getting the day since which the use of legacy tokens is tracked');
    });
  };
  runPass();
  repeat(clock, INTERVAL_MS, runPass, signal);
  await whenAborted(signal);
  await pass;
}

/** One look at all secrets, at one time. */
class CleaningPass {
  readonly #context: ControllerContext;
  readonly #now: number;
  /** By namespace. */
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#now = context.clock.now();
  }

  /** False before the server has recorded the day. Throws if it is no day. Upstream: latestPossibleTrackedSinceTime */
  async isTrackedLongEnough(): Promise<boolean> {
    const { namespace, name } = LEGACY_TOKEN_TRACKING;
    const resource = this.#context.client.resource<ConfigMap>(CONFIG_MAPS);
    const tracking = await unlessNotFound(resource.get(namespace, name));
    if (tracking === undefined) return false;
    const { data } = tracking;
    const since = parseDay(data?.['since'] ?? '');
    if (since === undefined) throw new TypeError(`${namespace}/${name} has no day`);
    return this.#now >= since + DAY_MS + UNUSED_MS;
  }

  /** A secret without the label was not used since the use is tracked. */
  isUnused({ metadata }: Secret): boolean {
    const { creationTimestamp, deletionTimestamp, labels = {} } = metadata;
    if (deletionTimestamp !== undefined || Date.parse(creationTimestamp ?? '') >= this.#now - UNUSED_MS) return false;
    const lastUsed = labels[LAST_USED];
    return lastUsed === undefined || this.#isPast(lastUsed);
  }

  /** Does nothing while a pod names the secret. */
  async clean(secret: Secret): Promise<void> {
    const { namespace = '', name = '', uid, resourceVersion = '', labels = {} } = secret.metadata;
    if ((await this.#mountedIn(namespace)).has(name)) return;
    const { client, logger } = this.#context;
    const resource = client.resource<Secret>(SECRETS);
    const invalidSince = labels[INVALID_SINCE] ?? '';
    if (parseDay(invalidSince) === undefined) {
      const today = formatDay(this.#now);
      logger.info('Mark the auto-generated service account token as invalid', {
        secret: nameOf(secret),
        invalidSince: today,
      });
      const body = { metadata: { uid, labels: { [INVALID_SINCE]: today } } };
      await resource.patch(namespace, name, { type: 'merge', body });
    } else if (this.#isPast(invalidSince)) {
      logger.info('Delete auto-generated service account token', { secret: nameOf(secret), invalidSince });
      await resource.delete(namespace, name, { preconditions: { resourceVersion } }).catch((error: unknown) => {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
    }
  }

  /** False for a text that is no day. */
  #isPast(day: string): boolean {
    return parseDay(day) !== undefined && day < formatDay(this.#now - UNUSED_MS);
  }

  async #mountedIn(namespace: string): Promise<ReadonlySet<string>> {
    const known = this.#names.get(namespace);
    if (known !== undefined) return known;
    const { items } = await this.#context.client.resource<Pod>(PODS).list(namespace);
    const names = new Set<string>();
    for await (const { spec } of loadedObjects(items)) for (const name of podSecretNames(spec)) names.add(name);
    this.#names.set(namespace, names);
    return names;
  }
}

/** A token that a user made is not in the list of the account. Upstream: hasSecretReference */
function isGenerated({ metadata }: Secret, account: ServiceAccount | undefined): boolean {
  return (account?.secrets ?? []).some(({ name }) => name === metadata.name);
}

function nameOf({ metadata: { namespace, name } }: Secret): string {
  return `${namespace}/${name}`;
}
