import { goField } from '@apiserver/apimachinery/json';
import { formatDuration } from '@apiserver/apimachinery/values';
import { ConfigurationError } from '@apiserver/component-base/configuration';

/** The configuration of ImagePolicyWebhook, with durations in milliseconds. */
export interface ImagePolicyConfiguration {
  /** The kubeconfig of the webhook. */
  readonly kubeConfigFile: string;
  /** Time for which an approval is kept; 0 keeps none. */
  readonly allowTtl: number;
  /** Time for which a denial is kept; 0 keeps none. */
  readonly denyTtl: number;
  /** The pause before the second attempt. */
  readonly retryBackoff: number;
  /** Admits pods that the webhook cannot review. */
  readonly defaultAllow: boolean;
}

/** The bounds of a duration, in nanoseconds: a value must exceed `min`. */
interface Bounds {
  readonly unit: bigint;
  readonly min: bigint;
  readonly max: bigint;
  readonly byDefault: bigint;
}

const MILLISECOND = 1_000_000n;
const SECOND = 1000n * MILLISECOND;
const MINUTE = 60n * SECOND;

const BACKOFF: Bounds = { unit: MILLISECOND, min: 1n, max: 5n * MINUTE, byDefault: 500n * MILLISECOND };
const ALLOW_TTL: Bounds = { unit: SECOND, min: SECOND, max: 30n * MINUTE, byDefault: 5n * MINUTE };
const DENY_TTL: Bounds = { ...ALLOW_TTL, byDefault: 30n * SECOND };

/**
 * Reads the configuration of ImagePolicyWebhook. Unknown fields are ignored, as upstream. Throws a ConfigurationError
 * with upstream's text.
 * Upstream: plugin/pkg/admission/imagepolicy/config.go
 */
export function imagePolicyConfiguration(configuration: unknown): ImagePolicyConfiguration {
  if (configuration === undefined) throw new ConfigurationError('no config specified');
  const policy = Object(goField(Object(configuration), 'imagePolicy'));
  return {
    retryBackoff: duration(BACKOFF, 'retryBackoff', goField(policy, 'retryBackoff')),
    allowTtl: duration(ALLOW_TTL, 'allowTTL', goField(policy, 'allowTTL')),
    denyTtl: duration(DENY_TTL, 'denyTTL', goField(policy, 'denyTTL')),
    kubeConfigFile: String(goField(policy, 'kubeConfigFile') ?? ''),
    defaultAllow: goField(policy, 'defaultAllow') === true,
  };
}

/** In milliseconds. 0 or nothing is the default, and -1 is no time at all. */
function duration({ unit, min, max, byDefault }: Bounds, name: string, value: unknown = 0): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    const field = `imagePolicyWebhookConfig.imagePolicy.${name}`;
    throw new ConfigurationError(
      `json: cannot unmarshal ${typeof value} into Go struct field ${field} of type time.Duration`,
    );
  }
  if (value === -1) return 0;
  const nanoseconds = value === 0 ? byDefault : BigInt(value) * unit;
  if (nanoseconds > min && nanoseconds <= max) return Number(nanoseconds / MILLISECOND);
  const [low, high, got] = [min, max, nanoseconds].map(formatDuration);
  throw new ConfigurationError(`valid value is between ${low} and ${high}, got ${got}`);
}
