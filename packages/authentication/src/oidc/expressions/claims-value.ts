import { isMembers, type Members } from '@apiserver/apimachinery/json';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import { Double, LazyMap, ListValue, MapValue, unescapeField, type Value } from '@apiserver/cel';

/**
 * The claims of a token as `claims` of an expression. Names may be escaped: `claims.a__dot__b` is the claim `a.b`.
 * Numbers are doubles.
 * Upstream: newClaimsValue of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function claimsValue(claims: Readonly<Record<string, unknown>>): Value {
  return new TopValue('kubernetes.claims', claims, new KeptKeys());
}

/** A user as `user` of an expression. Upstream: newUserInfoValue of the same package */
export function userValue({ name, uid = '', groups, extra }: UserInfo): Value {
  return new TopValue('kubernetes.UserInfo', { username: name, uid, groups, extra }, new KeptKeys());
}

/** The keys of the objects of one token: an expression may ask for those of a large object very often. */
class KeptKeys {
  readonly #keys = new Map<Readonly<Members>, readonly string[]>();

  of(members: Readonly<Members>): readonly string[] {
    let keys = this.#keys.get(members);
    if (keys === undefined) {
      keys = Object.keys(members);
      this.#keys.set(members, keys);
    }
    return keys;
  }
}

function claimValue(json: unknown, kept: KeptKeys): Value {
  if (typeof json === 'number') return new Double(json);
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  if (Array.isArray(json)) return new ClaimList(json, kept);
  return isMembers(json) ? new ClaimMap(json, kept) : null;
}

function memberOf(members: Readonly<Members>, name: string | undefined, kept: KeptKeys): Value | undefined {
  return name !== undefined && Object.hasOwn(members, name) ? claimValue(members[name], kept) : undefined;
}

/** The variable itself. A name with a wrong escape is the name of no member. */
class TopValue extends LazyMap {
  readonly #members: Readonly<Members>;
  readonly #kept: KeptKeys;

  constructor(typeName: string, members: Readonly<Members>, kept: KeptKeys) {
    super(typeName);
    this.#members = members;
    this.#kept = kept;
  }

  get size(): number {
    return this.#kept.of(this.#members).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? memberOf(this.#members, unescapeField(key), this.#kept) : undefined;
  }

  protected names(): Iterable<string> {
    return this.#kept.of(this.#members);
  }
}

/** An object inside. A name with a wrong escape is a plain name; `in` and `==` know no escapes. */
class ClaimMap extends MapValue {
  readonly #members: Readonly<Members>;
  readonly #kept: KeptKeys;

  constructor(members: Readonly<Members>, kept: KeptKeys) {
    super();
    this.#members = members;
    this.#kept = kept;
  }

  override get goType(): string {
    return 'oidc.unescapeMapper';
  }

  get size(): number {
    return this.#kept.of(this.#members).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? memberOf(this.#members, unescapeField(key) ?? key, this.#kept) : undefined;
  }

  override findUnescaped(key: Value): Value | undefined {
    return typeof key === 'string' ? memberOf(this.#members, key, this.#kept) : undefined;
  }

  keys(): Iterable<Value> {
    return this.#kept.of(this.#members);
  }
}

class ClaimList extends ListValue {
  readonly #elements: readonly unknown[];
  readonly #kept: KeptKeys;

  constructor(elements: readonly unknown[], kept: KeptKeys) {
    super();
    this.#elements = elements;
    this.#kept = kept;
  }

  override get goType(): string {
    return 'oidc.unescapeLister';
  }

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    return claimValue(this.#elements[index], this.#kept);
  }
}
