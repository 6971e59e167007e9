import type { Event } from '@apiserver/api/core/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { failureStatus, StatusError } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { handlesMain } from '../../endpoint.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { TokenBucket } from './token-bucket.js';

const DEFAULT_CACHE_SIZE = 4096;

/** The key under which each type of limit counts events. */
const KEYS: Readonly<Record<string, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user?.name ?? '',
  SourceAndObject: (attributes) => {
    const { source, involvedObject: about } = admittedObject<Event>(attributes);
    const dependencies = [
      source?.component,
      source?.host,
      about.kind,
      about.namespace,
      about.name,
      about.uid,
      about.apiVersion,
    ];
    return dependencies.join('');
  },
};

interface Limit {
  readonly type: string;
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize: number;
}

/** Refuses events (429) that exceed the configured rate. Upstream: plugin/pkg/admission/eventratelimit */
export function eventRateLimit({
  configuration,
  clock,
}: Pick<AdmissionPluginDependencies, 'configuration' | 'clock'>): AdmissionPlugin {
  const enforcers = limitsOf(configuration).map((limit) => new LimitEnforcer(limit, clock));
  return {
    name: 'EventRateLimit',
    handles: handlesMain({ group: '', resource: 'events' }, 'CREATE', 'UPDATE'),
    validate(attributes) {
      if (attributes.dryRun) return;
      const faults = enforcers.flatMap((enforcer) => enforcer.refusal(attributes) ?? []);
      if (faults.length > 0) throw tooManyRequests(aggregateMessages(faults));
    },
  };
}

/** A 429 without a Retry-After. Upstream: NewTooManyRequestsError */
function tooManyRequests(message: string): StatusError {
  return new StatusError(failureStatus(429, 'TooManyRequests', message));
}

/** Enforces one limit; evicts the least recently used key. */
class LimitEnforcer {
  readonly #limit: Limit;
  readonly #clock: Clock;
  /** In order of last use. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limit: Limit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  refusal(attributes: AdmissionAttributes): string | undefined {
    const { type } = this.#limit;
    const key = KEYS[type]?.(attributes) ?? '';
    return this.#bucket(key).take() ? undefined : `limit reached on type ${type} for key ${key}`;
  }

  #bucket(key: string): TokenBucket {
    const { qps, burst, cacheSize } = this.#limit;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(qps, burst, this.#clock);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined && this.#buckets.size > cacheSize) this.#buckets.delete(oldest);
    return bucket;
  }
}

/** Throws an Error if there are no limits. */
function limitsOf(configuration: unknown): readonly Limit[] {
  const { limits } = Object(configuration ?? {});
  if (!Array.isArray(limits) || limits.length === 0) throw new Error('limits: Required value: must not be empty');
  return limits.map((limit, i) => limitOf(Object(limit), `limits[${i}]`));
}

function limitOf({ type, qps, burst, cacheSize = 0 }: Record<string, unknown>, where: string): Limit {
  if (typeof type !== 'string' || KEYS[type] === undefined) {
    const known = Object.keys(KEYS)
      .sort()
      .map((name) => `"${name}"`);
    throw new Error(
      `${where}.type: Unsupported value: ${JSON.stringify(type ?? '')}: supported values: ${known.join(', ')}`,
    );
  }
  return {
    type,
    qps: positive(qps, `${where}.qps`),
    burst: positive(burst, `${where}.burst`),
    cacheSize: cacheSize === 0 ? DEFAULT_CACHE_SIZE : positive(cacheSize, `${where}.cacheSize`),
  };
}

function positive(value: unknown, where: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new Error(`${where}: Invalid value: ${JSON.stringify(value ?? 0)}: must be positive`);
}
