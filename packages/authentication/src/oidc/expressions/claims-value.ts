import { isMembers, type Members } from '@apiserver/apimachinery/json';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import { Double, ListValue, MapValue, unescapeField, type Value } from '@apiserver/cel';

/**
 * The claims of a token as `claims` of an expression. Names may be escaped: `claims.a__dot__b` is the claim `a.b`.
 * Numbers are doubles.
 * Upstream: newClaimsValue of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function claimsValue(claims: Readonly<Record<string, unknown>>): Value {
  return new TopValue(claims);
}

/** A user as `user` of an expression. Upstream: newUserInfoValue of the same package */
export function userValue({ name, uid = '', groups, extra }: UserInfo): Value {
  return new TopValue({ username: name, uid, groups, extra });
}

function claimValue(json: unknown): Value {
  if (typeof json === 'number') return new Double(json);
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  if (Array.isArray(json)) return new ClaimList(json);
  return isMembers(json) ? new ClaimMap(json) : null;
}

function memberOf(members: Readonly<Members>, name: string | undefined): Value | undefined {
  return name !== undefined && Object.hasOwn(members, name) ? claimValue(members[name]) : undefined;
}

/** The variable itself. A name with a wrong escape is the name of no member. */
class TopValue extends MapValue {
  readonly #members: Readonly<Members>;

  constructor(members: Readonly<Members>) {
    super();
    this.#members = members;
  }

  get size(): number {
    return Object.keys(this.#members).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? memberOf(this.#members, unescapeField(key)) : undefined;
  }

  /** Upstream's iterator of the variable yields values instead of keys. */
  *keys(): Iterable<Value> {
    for (const value of Object.values(this.#members)) yield claimValue(value);
  }
}

/** An object inside. A name without or with a wrong escape is a plain name. */
class ClaimMap extends MapValue {
  readonly #members: Readonly<Members>;

  constructor(members: Readonly<Members>) {
    super();
    this.#members = members;
  }

  get size(): number {
    return Object.keys(this.#members).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? memberOf(this.#members, unescapeField(key) ?? key) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#members);
  }
}

class ClaimList extends ListValue {
  readonly #elements: readonly unknown[];

  constructor(elements: readonly unknown[]) {
    super();
    this.#elements = elements;
  }

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    return claimValue(this.#elements[index]);
  }
}
