import type { Pod, ServiceAccount } from '@apiserver/api/core/v1';
import { sleep } from '@apiserver/apimachinery/clock';
import { isNotFound, messageOf, newNotFound, plainFailure } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, AdmissionPlugin, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { isResource, PODS } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
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

/** A controller creates the account `default` soon after its namespace; other accounts are not awaited. */
const DEFAULT_ACCOUNT_ATTEMPTS = 10;
/** The pause between attempts, and its maximum random addition, in milliseconds. */
const PAUSE = { least: 100, spread: 100 };

type Dependencies = Pick<AdmissionPluginDependencies, 'client' | 'informer' | 'clock' | 'random'>;

/**
 * Gives a new pod an existing service account, a volume with its token, and its image pull secrets.
 * Upstream: plugin/pkg/admission/serviceaccount
 */
export function serviceAccount(dependencies: Dependencies): AdmissionPlugin {
  const accounts = new AccountLookup(dependencies);
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
      if (!isMirrorPod(pod)) await complete(attributes, pod, accounts, dependencies);
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

/** Mutates the pod. Sets both fields that name the account. */
async function complete(
  attributes: AdmissionAttributes,
  { spec, ...pod }: Pod,
  accounts: AccountLookup,
  { random }: Dependencies,
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

/** Finds accounts in the informer, and through the API if the informer lacks them. */
class AccountLookup {
  readonly #accounts: Informer<ServiceAccount>;
  readonly #client: ResourceClient<ServiceAccount>;
  readonly #dependencies: Dependencies;
  readonly #view: ViewReadiness;

  constructor(dependencies: Dependencies) {
    this.#accounts = dependencies.informer<ServiceAccount>(SERVICE_ACCOUNTS);
    this.#client = dependencies.client.resource<ServiceAccount>(SERVICE_ACCOUNTS);
    this.#dependencies = dependencies;
    this.#view = new ViewReadiness(this.#accounts);
  }

  /** Throws 403 if the account does not exist. */
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
      const reason = messageOf(error);
      throw newAdmissionForbidden(attributes, `error looking up service account ${namespace}/${name}: ${reason}`);
    }
  }

  async #ask(namespace: string, name: string): Promise<ServiceAccount> {
    const attempts = name === DEFAULT_ACCOUNT ? DEFAULT_ACCOUNT_ATTEMPTS : 1;
    const pause = PAUSE.least + this.#dependencies.random(PAUSE.spread);
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await sleep(this.#dependencies.clock, pause);
      try {
        return await this.#client.get(namespace, name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    // The kind in place of the resource, as upstream.
    throw newNotFound({ group: '', resource: 'serviceaccount' }, name);
  }
}
