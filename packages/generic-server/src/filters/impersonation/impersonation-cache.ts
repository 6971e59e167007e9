import { createHash } from 'node:crypto';
import { type Clock, ExpiringCache } from '@apiserver/apimachinery/clock';
import type { AuthorizationAttributes, UserInfo } from '@apiserver/apiserver-contracts';
import type { Impersonated } from './impersonated.js';

/** Upstream: TokenSuccessCacheTTL of its token cache */
const TTL_MS = 10_000;

/** Most entries of a cache. Upstream has no bound; its entries live as short. */
const MAX_ENTRIES = 10_000;

/**
 * Users whom requestors may impersonate, for a short time. Only successes are kept.
 * Upstream: impersonationCache of k8s.io/apiserver/pkg/endpoints/filters/impersonation/cache.go
 */
export class ImpersonationCache {
  readonly #users: ExpiringCache<Impersonated>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#users = new ExpiringCache(clock, MAX_ENTRIES);
  }

  /** Undefined for a key that is undefined: what is not understood is not kept. */
  get(key: string | undefined): Impersonated | undefined {
    return key === undefined ? undefined : this.#users.get(key);
  }

  set(key: string | undefined, user: Impersonated): void {
    if (key !== undefined) this.#users.set(key, user, TTL_MS);
  }
}

/** The keys of one attempt, made on demand. All modes share them. */
export class ImpersonationKeys {
  readonly #wanted: UserInfo;
  readonly #attributes: AuthorizationAttributes;
  /** False if a selector of the request cannot be parsed. */
  readonly isUnderstood: boolean;
  #request: string | undefined;
  #user: string | undefined;

  constructor(wanted: UserInfo, attributes: AuthorizationAttributes, isUnderstood: boolean) {
    this.#wanted = wanted;
    this.#attributes = attributes;
    this.isUnderstood = isUnderstood;
  }

  /** Of the wanted user and the whole request. */
  get ofRequest(): string | undefined {
    if (!this.isUnderstood) return undefined;
    const { user, fieldSelector, labelSelector, ...texts } = this.#attributes;
    this.#request ??= hashed(user, [
      ...[userKey(this.#wanted), userKey(user), texts],
      ...[fieldSelector?.requirements, labelSelector?.requirements],
    ]);
    return this.#request;
  }

  /** Of the wanted user and the requestor. */
  get ofUsers(): string {
    const { user } = this.#attributes;
    this.#user ??= hashed(user, [userKey(this.#wanted), userKey(user)]);
    return this.#user;
  }
}

/** The requestor's name in the key keeps collisions among the requestor's own entries. */
function hashed({ name }: UserInfo, parts: readonly unknown[]): string {
  return `${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}/${name}`;
}

function userKey({ name, uid = '', groups, extra }: UserInfo): readonly unknown[] {
  const sorted = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  return [name, uid, groups, sorted];
}
