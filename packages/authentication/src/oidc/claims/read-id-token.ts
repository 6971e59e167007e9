import { isMembers, jsonTypeName, type Members } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { TokenError } from '../../token-error.js';
import type { Claims } from './decode-claim.js';
import { type RegisteredClaim, registeredName } from './registered-claim.js';

/** The claims that the verification of a token reads. */
export interface IdToken {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** Milliseconds since the epoch; undefined for an absent claim. Fractions of seconds are cut off. */
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  /** The names of the sources, by claim. */
  readonly claimNames: ReadonlyMap<string, string>;
  readonly claimSources: ReadonlySet<string>;
}

/** The members of a source, as Go's decoder finds them. */
const SOURCE_FIELDS = [
  [/^endpoint$/iu, 'endpoint'],
  [/^access_token$/iu, 'access_token'],
] as const;

class TokenReader {
  readonly texts = new Map<RegisteredClaim, string>();
  readonly times = new Map<RegisteredClaim, number>();
  readonly claimNames = new Map<string, string>();
  readonly claimSources = new Set<string>();
  audience: readonly string[] = [];
  /** The first value of a wrong type. Faults of times and audiences outweigh it. */
  fault: Error | undefined;

  read(name: RegisteredClaim, value: unknown): void {
    switch (name) {
      case 'aud':
        this.audience = audienceOf(value);
        break;
      case 'nbf':
        // The only time that may be null.
        if (value === null) this.times.delete(name);
        else this.times.set(name, timeOf(name, value));
        break;
      case 'exp':
      case 'iat':
        this.times.set(name, timeOf(name, value));
        break;
      case '_claim_names':
        this.#readNames(value);
        break;
      case '_claim_sources':
        this.#readSources(value);
        break;
      default:
        if (typeof value === 'string') this.texts.set(name, value);
        else if (value !== null) this.#refuse(name, value, 'string');
    }
  }

  #readNames(value: unknown): void {
    if (value === null) this.claimNames.clear();
    else if (!isMembers(value)) this.#refuse('_claim_names', value, 'map[string]string');
    else {
      for (const [claim, source] of Object.entries(value)) {
        if (source !== null && typeof source !== 'string') this.#refuse('_claim_names', source, 'string');
        this.claimNames.set(claim, typeof source === 'string' ? source : '');
      }
    }
  }

  #readSources(value: unknown): void {
    if (value === null) this.claimSources.clear();
    else if (!isMembers(value)) this.#refuse('_claim_sources', value, 'map[string]oidc.claimSource');
    else {
      for (const [source, members] of Object.entries(value)) {
        if (isMembers(members)) this.#checkSource(members);
        else if (members !== null) this.#refuse('_claim_sources', members, 'oidc.claimSource');
        this.claimSources.add(source);
      }
    }
  }

  #checkSource(members: Readonly<Members>): void {
    for (const [key, value] of Object.entries(members)) {
      const field = SOURCE_FIELDS.find(([pattern]) => pattern.test(key))?.[1];
      if (field === undefined || value === null || typeof value === 'string') continue;
      this.fault ??= wrongField(`_claim_sources.${field}`, value, 'string', 'claimSource');
    }
  }

  #refuse(name: RegisteredClaim, value: unknown, expected: string): void {
    this.fault ??= wrongField(name, value, expected);
  }
}

/**
 * Reads the registered claims of a token in their order. Throws an Error in Go's words for those of another type.
 * Upstream: idToken of github.com/coreos/go-oidc/oidc.go, decoded by Go's encoding/json
 */
export function readIdToken(claims: Claims): IdToken {
  const reader = new TokenReader();
  for (const [key, value] of Object.entries(claims)) {
    const name = registeredName(key);
    if (name !== undefined) reader.read(name, value);
  }
  if (reader.fault !== undefined) throw reader.fault;
  const { texts, times, audience, claimNames, claimSources } = reader;
  const [expiry, notBefore] = [times.get('exp'), times.get('nbf')];
  return { issuer: texts.get('iss') ?? '', audience, expiry, notBefore, claimNames, claimSources };
}

function audienceOf(value: unknown): readonly string[] {
  if (value === null) return [''];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) throw wrongField('aud', value, '[]string');
  return value.map((one: unknown) => {
    if (one !== null && typeof one !== 'string') throw wrongField('aud', one, 'string');
    return one ?? '';
  });
}

/** Seconds since Go's first year, which time.Time counts in 64 bits. */
const FIRST_YEAR = 62_135_596_800n;

/** Whole seconds as Go's time.Time has them: those far in the future wrap around into the past. */
function goSeconds(seconds: number): number {
  // An integer that does not fit counts as the least one, as on amd64.
  const whole = Math.abs(seconds) < 2 ** 63 ? BigInt(Math.trunc(seconds)) : -(2n ** 63n);
  return Number(BigInt.asIntN(64, whole + FIRST_YEAR) - FIRST_YEAR);
}

/** A number in JSON, which upstream takes as a text, too. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function timeOf(name: RegisteredClaim, value: unknown): number {
  if (value === null) throw unreadable('strconv.ParseFloat: parsing "": invalid syntax');
  if (typeof value === 'string' && !NUMBER.test(value)) {
    throw unreadable(`json: invalid number literal, trying to unmarshal ${quote(JSON.stringify(value))} into Number`);
  }
  const seconds = typeof value === 'string' ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isFinite(seconds)) return goSeconds(seconds) * 1000;
  throw wrongField(name, value, 'json.Number');
}

function wrongField(name: string, value: unknown, expected: string, struct = 'idToken'): Error {
  return unreadable(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field ${struct}.${name} of type ${expected}`,
  );
}

function unreadable(reason: string): Error {
  return new TokenError(`oidc: failed to unmarshal claims: ${reason}`);
}
