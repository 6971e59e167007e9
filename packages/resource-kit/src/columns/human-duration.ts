const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A range of durations and the one or two units it is shown in, all in seconds. */
interface Step {
  /** Durations from here on are of a later step. */
  readonly below: number;
  readonly unit: readonly [number, string];
  /** Shown as well unless it is 0. */
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
 * A duration in the few characters of a printer column: 37s, 4m10s, 2d5h, 3y. Clocks that differ by up to two seconds
 * read 0s; a duration further below zero is no duration.
 * Upstream: HumanDuration of k8s.io/apimachinery/pkg/util/duration/duration.go
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
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
