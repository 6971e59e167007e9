import { Buffer } from 'node:buffer';
import type { Secret, ServiceAccount } from '@apiserver/api/core/v1';
import { isConflict, isNotFound, unlessNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ControllerContext, SignSecretToken } from '../controller.js';
import { forEachConcurrently } from '../for-each-concurrently.js';
import { SECRETS, SERVICE_ACCOUNTS } from '../resources.js';

/** The secrets for tokens. */
export const TOKEN_SECRETS = { fieldSelector: 'type=kubernetes.io/service-account-token' };
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
const ROOT_CA = 'ca.crt';
const NAMESPACE = 'namespace';
const TOKEN = 'token';
/** Upstream: steps of RemoveTokenBackoff */
const REMOVAL_TRIES = 10;

/** A secret as an event showed it, with its account. Upstream: secretQueueKey */
export interface SecretReference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly account: string;
  /** "" if the secret does not have it. */
  readonly accountUid: string;
}

export function secretReference({ metadata }: Secret): SecretReference {
  const { namespace = '', name = '', uid = '', annotations = {} } = metadata;
  return { namespace, name, uid, account: annotations[ACCOUNT_NAME] ?? '', accountUid: annotations[ACCOUNT_UID] ?? '' };
}

/** A service account as an event showed it. Upstream: serviceAccountQueueKey */
export interface AccountReference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function accountReference({ metadata }: ServiceAccount): AccountReference {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { namespace, name, uid };
}

/** Secrets for tokens, and the service accounts that they name. */
export class TokenSecrets {
  readonly secrets: Informer<Secret>;
  readonly accounts: Informer<ServiceAccount>;
  readonly #secretClient: ResourceClient<Secret>;
  readonly #accountClient: ResourceClient<ServiceAccount>;
  readonly #rootCA: string;
  readonly #sign: SignSecretToken;
  readonly #signal: AbortSignal;

  constructor({ client, informer, rootCA, signal }: ControllerContext, sign: SignSecretToken) {
    this.secrets = informer(SECRETS, TOKEN_SECRETS);
    this.accounts = informer(SERVICE_ACCOUNTS);
    this.#secretClient = client.resource(SECRETS);
    this.#accountClient = client.resource(SERVICE_ACCOUNTS);
    this.#rootCA = Buffer.from(rootCA).toString('base64');
    this.#sign = sign;
    this.#signal = signal;
  }

  /** Upstream: syncSecret */
  async syncSecret(reference: SecretReference): Promise<void> {
    const { namespace, name, uid, account: accountName, accountUid } = reference;
    const secret = ofUid(this.secrets.get(namespace, name), uid);
    const known = ofUid(this.accounts.get(namespace, accountName), accountUid);
    if (secret === undefined) {
      if (known !== undefined) await this.#removeReference(reference);
      return;
    }
    const account = known ?? ofUid(await this.#liveAccount(namespace, accountName), accountUid);
    await (account === undefined ? this.#delete(reference) : this.#complete(secret, account));
  }

  /** Deletes the secrets of an account that is gone. Upstream: syncServiceAccount */
  async syncAccount({ namespace, name, uid }: AccountReference): Promise<void> {
    if (ofUid(this.accounts.get(namespace, name), uid) !== undefined) return;
    const references = this.secrets.list(namespace).map(secretReference);
    const own = references.filter(({ account, accountUid }) => account === name && accountUid === uid);
    await forEachConcurrently(own, (reference) => this.#delete(reference), { signal: this.#signal });
  }

  /** Upstream: generateTokenIfNeeded */
  async #complete(secret: Secret, account: ServiceAccount): Promise<void> {
    const { data = {}, metadata } = secret;
    const { namespace = '', name = '' } = metadata;
    const { name: accountName, uid } = accountReference(account);
    const isComplete = data[ROOT_CA] === this.#rootCA && data[NAMESPACE] && data[TOKEN];
    if (isComplete) return;
    const newToken = () => this.#sign({ namespace, secret: name, serviceAccount: { name: accountName, uid } });
    const completed = {
      ...data,
      [ROOT_CA]: this.#rootCA,
      [NAMESPACE]: data[NAMESPACE] || base64(namespace),
      [TOKEN]: data[TOKEN] || base64(await newToken()),
    };
    const annotations = { ...metadata.annotations, [ACCOUNT_NAME]: accountName, [ACCOUNT_UID]: uid };
    // After a conflict, the newer secret comes as an event.
    await this.#secretClient
      .update(namespace, { ...secret, metadata: { ...metadata, annotations }, data: completed })
      .catch(ignoreChanged);
  }

  async #delete({ namespace, name, uid }: SecretReference): Promise<void> {
    await this.#secretClient.delete(namespace, name, { preconditions: { uid } }).catch(ignoreChanged);
  }

  async #removeReference(reference: SecretReference, tries = REMOVAL_TRIES): Promise<void> {
    const { namespace, name, account: accountName, accountUid } = reference;
    const account = ofUid(await this.#liveAccount(namespace, accountName), accountUid);
    if (account === undefined) return;
    const { secrets: all = [] } = account;
    const secrets = all.filter((secret) => secret.name !== name);
    if (secrets.length === all.length) return;
    try {
      await this.#accountClient.update(namespace, { ...account, secrets });
    } catch (error) {
      if (isConflict(error) && tries > 1) await this.#removeReference(reference, tries - 1);
      else if (!isNotFound(error)) throw error;
    }
  }

  #liveAccount(namespace: string, name: string): Promise<ServiceAccount | undefined> {
    return unlessNotFound(this.#accountClient.get(namespace, name));
  }
}

/** The object if it has the UID; "" stands for any. */
export function ofUid<T extends Secret | ServiceAccount>(object: T | undefined, uid: string): T | undefined {
  return uid === '' || object?.metadata.uid === uid ? object : undefined;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function ignoreChanged(error: unknown): void {
  if (!isConflict(error) && !isNotFound(error)) throw error;
}
