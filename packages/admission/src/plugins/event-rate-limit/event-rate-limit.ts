import type { Event } from '@apiserver/api/core/v1';
import { type Clock, TokenBucket } from '@apiserver/apimachinery/clock';
import { failureStatus, StatusError } from '@apiserver/apimachinery/errors';
import {
  aggregateMessages,
  type FieldError,
  FieldPath,
  fieldErrorMessage,
  fieldInvalid,
  fieldNotSupported,
} from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { boundedKey } from '../../bounded-key.js';
import { handlesMain } from '../../endpoint.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';

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
    return this.#bucket(boundedKey(key)).take() ? undefined : `limit reached on type ${type} for key ${key}`;
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

/**
 * Throws an Error that names each fault.
 * Upstream: plugin/pkg/admission/eventratelimit/apis/eventratelimit/validation
 */
function limitsOf(configuration: unknown): readonly Limit[] {
  const { limits = null } = Object(configuration ?? {});
  const path = FieldPath.of('limits');
  const found = (Array.isArray(limits) ? limits : []).map((limit) => readLimit(Object(limit)));
  const faults =
    found.length === 0
      ? [fieldInvalid(path, limits, 'must not be empty')]
      : found.flatMap((limit, i) => limitFaults(limit, path.index(i)));
  if (faults.length > 0) throw new Error(aggregateMessages(faults.map(fieldErrorMessage)));
  return found.map((limit) => ({ ...limit, cacheSize: limit.cacheSize || DEFAULT_CACHE_SIZE }));
}

function readLimit({ type, qps, burst, cacheSize }: Record<string, unknown>): Limit {
  const text = typeof type === 'string' ? type : '';
  return { type: text, qps: readInteger(qps), burst: readInteger(burst), cacheSize: readInteger(cacheSize) };
}

/** An absent number is 0. Anything but an integer becomes NaN, which fails every comparison. */
function readInteger(value: unknown = 0): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : Number.NaN;
}

function limitFaults({ type, qps, burst, cacheSize }: Limit, path: FieldPath): readonly FieldError[] {
  const positive = (value: number, name: string) =>
    value > 0 ? [] : [fieldInvalid(path.child(name), value, 'must be positive')];
  return [
    ...(KEYS[type] === undefined ? [fieldNotSupported(path.child('type'), type, Object.keys(KEYS).sort())] : []),
    ...positive(burst, 'burst'),
    ...positive(qps, 'qps'),
    ...(type === 'Server' || cacheSize >= 0
      ? []
      : [fieldInvalid(path.child('cacheSize'), cacheSize, 'must not be negative')]),
  ];
}
