import type { Pod, ServiceAccount } from '@apiserver/api/core/v1';
import { sleep } from '@apiserver/apimachinery/clock';
import { isNotFound, newNotFound, plainFailure } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, AdmissionPlugin, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { isResource, PODS } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginParts } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import {
  enforcesMountableSecrets,
  ephemeralSecretFault,
  mirrorPodFault,
  secretFault,
} from './service-account-secrets.js';
import { mountServiceAccountToken, shouldAutomount } from './service-account-token.js';

const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };
const DEFAULT_ACCOUNT = 'default';
const MIRROR_POD_ANNOTATION = 'kubernetes.io/config.mirror';

/** The account `default` is made by a controller soon after its namespace; others exist or do not. */
const DEFAULT_ACCOUNT_ATTEMPTS = 10;
/** The pause between attempts, in milliseconds, and by how much it is longer at random. */
const PAUSE = { least: 100, spread: 100 };

type Parts = Pick<AdmissionPluginParts, 'client' | 'informer' | 'clock' | 'random'>;

/**
 * Gives a new pod a service account that exists, with what belongs to it: a token to mount and the secrets that images
 * are pulled with.
 * Upstream: plugin/pkg/admission/serviceaccount
 */
export function serviceAccount(parts: Parts): AdmissionPlugin {
  const accounts = new AccountLookup(parts);
  const checkNewPod = async (attributes: AdmissionAttributes, pod: Pod) => {
    if (isMirrorPod(pod)) return refuse(attributes, mirrorPodFault(pod.spec));
    const account = await accounts.accountOf(attributes, pod);
    if (enforcesMountableSecrets(account)) refuse(attributes, secretFault(account, pod.spec));
  };
  return {
    name: 'ServiceAccount',
    handles: (operation, { resource, subresource }) => {
      if (!isResource(resource, PODS)) return false;
      return subresource === ''
        ? operation === 'CREATE'
        : operation === 'UPDATE' && subresource === EPHEMERAL_CONTAINERS;
    },
    async admit(attributes) {
      if (attributes.operation !== 'CREATE') return;
      const pod = admittedObject<Pod>(attributes);
      if (!isMirrorPod(pod)) await complete(attributes, pod, accounts, parts);
      await checkNewPod(attributes, pod);
    },
    async validate(attributes) {
      const pod = admittedObject<Pod>(attributes);
      if (attributes.operation === 'CREATE') return checkNewPod(attributes, pod);
      const account = await accounts.accountOf(attributes, pod);
      const fault = enforcesMountableSecrets(account) ? ephemeralSecretFault(account, pod.spec) : undefined;
      // Upstream does not wrap this one.
      if (fault !== undefined) throw plainFailure(500, fault);
    },
  };
}

const EPHEMERAL_CONTAINERS = 'ephemeralcontainers';

function isMirrorPod({ metadata }: Pod): boolean {
  return metadata.annotations?.[MIRROR_POD_ANNOTATION] !== undefined;
}

function refuse(attributes: AdmissionAttributes, fault: string | undefined): void {
  if (fault !== undefined) throw newAdmissionForbidden(attributes, fault);
}

/** Mutates the pod. Both names of the account say the same. */
async function complete(
  attributes: AdmissionAttributes,
  { spec, ...pod }: Pod,
  accounts: AccountLookup,
  { random }: Parts,
): Promise<void> {
  if (!spec.serviceAccountName) {
    spec.serviceAccountName = DEFAULT_ACCOUNT;
    spec.serviceAccount = DEFAULT_ACCOUNT;
  }
  const account = await accounts.accountOf(attributes, { ...pod, spec });
  if (shouldAutomount(account, spec)) mountServiceAccountToken(spec, random);
  if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
    spec.imagePullSecrets = (account.imagePullSecrets ?? []).map(({ name }) => ({ ...(name && { name }) }));
  }
}

/** Finds accounts in the view, and in the API itself where the view has none. */
class AccountLookup {
  readonly #accounts: Informer<ServiceAccount>;
  readonly #client: ResourceClient<ServiceAccount>;
  readonly #parts: Parts;
  readonly #view: ViewReadiness;

  constructor(parts: Parts) {
    this.#accounts = parts.informer<ServiceAccount>(SERVICE_ACCOUNTS);
    this.#client = parts.client.resource<ServiceAccount>(SERVICE_ACCOUNTS);
    this.#parts = parts;
    this.#view = new ViewReadiness(this.#accounts);
  }

  /** Throws 403. */
  async accountOf(attributes: AdmissionAttributes, { metadata, spec }: Pod): Promise<ServiceAccount> {
    const { namespace } = attributes;
    const name = spec.serviceAccountName ?? '';
    if (name === '') {
      const fault = `no service account specified for pod ${namespace}/${metadata.name ?? ''}`;
      throw newAdmissionForbidden(attributes, fault);
    }
    await this.#view.ready(attributes);
    try {
      return this.#accounts.get(namespace, name) ?? (await this.#ask(namespace, name));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw newAdmissionForbidden(attributes, `error looking up service account ${namespace}/${name}: ${reason}`);
    }
  }

  async #ask(namespace: string, name: string): Promise<ServiceAccount> {
    const attempts = name === DEFAULT_ACCOUNT ? DEFAULT_ACCOUNT_ATTEMPTS : 1;
    const pause = PAUSE.least + this.#parts.random(PAUSE.spread);
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await sleep(this.#parts.clock, pause);
      try {
        return await this.#client.get(namespace, name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    // The kind stands in the place of the resource, as upstream.
    throw newNotFound({ group: '', resource: 'serviceaccount' }, name);
  }
}
