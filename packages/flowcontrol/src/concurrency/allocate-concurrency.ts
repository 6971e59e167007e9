/** A class of requests that gets a share. `target >= lowerBound >= 0` and `upperBound >= lowerBound`. */
export interface AllocationClass {
  readonly target: number;
  readonly lowerBound: number;
  readonly upperBound: number;
}

/** Shares of the classes, in their order. */
export interface Allocation {
  readonly shares: readonly number[];
  /** The share of a class that no bound limits, in relation to its target. */
  readonly fairFraction: number;
}

/** A lower target counts as this. */
const MIN_TARGET = 0.001;
const EPSILON = 1e-7;

/**
 * Divides a sum among classes: each gets the same fraction of its target, within its bounds. Throws a RangeError if the
 * bounds do not allow the sum.
 * Upstream: computeConcurrencyAllocation of k8s.io/apiserver/pkg/util/flowcontrol/conc_alloc.go
 */
export function allocateConcurrency(sum: number, classes: readonly AllocationClass[]): Allocation {
  checkClasses(sum, classes);
  const total = (of: (item: AllocationClass) => number) => classes.reduce((soFar, item) => soFar + of(item), 0);
  if (sum === 0) return { shares: classes.map(() => 0), fairFraction: 0 };
  const lower = total(({ lowerBound }) => lowerBound);
  if (lower - sum > -EPSILON) {
    const fairFraction = Math.min(...classes.map((item) => item.lowerBound / targetOf(item)));
    return { shares: classes.map(({ lowerBound }) => lowerBound), fairFraction };
  }
  if (sum - total(({ upperBound }) => upperBound) > -EPSILON) {
    const fairFraction = Math.max(...classes.map((item) => item.upperBound / targetOf(item)));
    return { shares: classes.map(({ upperBound }) => upperBound), fairFraction };
  }
  const fairFraction = unboundedFraction(sum, classes) ?? solve(sum, classes);
  return { shares: classes.map((item) => shareOf(item, fairFraction)), fairFraction };
}

function targetOf({ target }: AllocationClass): number {
  return Math.max(target, MIN_TARGET);
}

function shareOf(item: AllocationClass, fraction: number): number {
  return Math.max(item.lowerBound, Math.min(item.upperBound, fraction * targetOf(item)));
}

/**
 * The fraction with which no bound matters; undefined if there is none. It is exact, so that seats are rounded as
 * upstream rounds them.
 */
function unboundedFraction(sum: number, classes: readonly AllocationClass[]): number | undefined {
  const fraction = sum / classes.reduce((total, item) => total + targetOf(item), 0);
  const isUnbounded = classes.every(
    (item) => item.lowerBound / targetOf(item) <= fraction && fraction <= item.upperBound / targetOf(item),
  );
  return isUnbounded ? fraction : undefined;
}

/** A point where a class begins or ceases to grow with the fraction. */
interface Bend {
  readonly at: number;
  /** Change of the growth. */
  readonly change: number;
}

/**
 * The fraction with which the shares have the sum. Shares grow with the fraction; between the bends, in proportion. The
 * bounds allow the sum, so the fraction exists.
 */
function solve(sum: number, classes: readonly AllocationClass[]): number {
  const bends = classes
    .flatMap((item): Bend[] => {
      const target = targetOf(item);
      return [
        { at: item.lowerBound / target, change: target },
        { at: item.upperBound / target, change: -target },
      ];
    })
    .sort((a, b) => a.at - b.at);
  let reached = classes.reduce((total, { lowerBound }) => total + lowerBound, 0);
  let growth = 0;
  let fraction = bends[0]?.at ?? 0;
  for (const { at, change } of bends) {
    const step = (at - fraction) * growth;
    if (growth > 0 && reached + step >= sum) break;
    reached += step;
    fraction = at;
    growth += change;
  }
  return growth > 0 ? fraction + (sum - reached) / growth : fraction;
}

function checkClasses(sum: number, classes: readonly AllocationClass[]): void {
  if (sum < 0) throw new RangeError('negative sums are not supported');
  for (const { target, lowerBound, upperBound } of classes) {
    if (lowerBound < 0) throw new RangeError(`lower bound ${lowerBound} is negative`);
    if (target < lowerBound) throw new RangeError(`target ${target} is below its lower bound ${lowerBound}`);
    if (upperBound < lowerBound) {
      throw new RangeError(`upper bound ${upperBound} is below the lower bound ${lowerBound}`);
    }
  }
  const lower = classes.reduce((total, { lowerBound }) => total + lowerBound, 0);
  const upper = classes.reduce((total, { upperBound }) => total + upperBound, 0);
  if (lower - sum > EPSILON) throw new RangeError(`lower bounds sum to ${lower}, above the required sum of ${sum}`);
  if (sum - upper > EPSILON) throw new RangeError(`upper bounds sum to ${upper}, below the required sum of ${sum}`);
}
