import { MAX_DURATION_SECONDS } from './duration.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A range of durations with the one or two units of its format, in seconds. */
interface Step {
  /** Upper bound of the range, exclusive. */
  readonly below: number;
  readonly unit: readonly [number, string];
  /** A second unit, omitted if it is 0. */
  readonly rest?: readonly [number, string];
}

const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, unit: [1, 's'] },
  { below: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [1, 's'] },
  { below: 3 * HOUR, unit: [MINUTE, 'm'] },
  { below: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { below: 2 * DAY, unit: [HOUR, 'h'] },
  { below: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { below: 2 * YEAR, unit: [DAY, 'd'] },
  { below: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { below: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'] },
];

/**
 * Formats a duration for a printer column: 37s, 4m10s, 2d5h, 3y. Down to minus two seconds, for clock skew, it is 0s;
 * below that it is invalid.
 * Upstream: HumanDuration of k8s.io/apimachinery/pkg/util/duration/duration.go
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.min(Math.trunc(milliseconds / 1000), MAX_DURATION_SECONDS);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const step = STEPS.find(({ below }) => seconds < below);
  if (step === undefined) return '<invalid>';
  const [size, suffix] = step.unit;
  const whole = `${Math.floor(seconds / size)}${suffix}`;
  if (step.rest === undefined) return whole;
  const [restSize, restSuffix] = step.rest;
  const rest = Math.floor((seconds % size) / restSize);
  return rest === 0 ? whole : `${whole}${rest}${restSuffix}`;
}
