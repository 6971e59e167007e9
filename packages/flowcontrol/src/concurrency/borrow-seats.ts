import { type AllocationClass, allocateConcurrency } from './allocate-concurrency.js';
import type { LevelLimits } from './level-limits.js';
import type { SeatDemand } from './seat-demand.js';

/** A level that lends or borrows seats. */
export interface BorrowingLevel {
  readonly isExempt: boolean;
  readonly limits: LevelLimits;
  readonly demand: SeatDemand;
  /** The present limit. */
  readonly current: number;
}

/** New limits of the levels, in their order. */
export interface BorrowedSeats {
  readonly limits: readonly number[];
  /** The target of each level; 0 for an exempt one. */
  readonly targets: readonly number[];
  readonly fairFraction: number;
  /** The reason why the present limits stay. */
  readonly error?: unknown;
}

/**
 * Divides the seats by demand: a level keeps what it used at most, and the rest goes to those that want more.
 * Upstream: updateBorrowingLocked of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export function borrowSeats(seats: number, levels: readonly BorrowingLevel[]): BorrowedSeats {
  const targets = levels.map((level) => (level.isExempt ? 0 : Math.max(leastOf(level), level.demand.smoothed)));
  const limitedLevels = levels.filter(({ isExempt }) => !isExempt);
  const exempt = levels.filter(({ isExempt }) => isExempt).reduce((sum, level) => sum + leastOf(level), 0);
  const min = limitedLevels.reduce((sum, { limits }) => sum + limits.min, 0);
  const least = limitedLevels.reduce((sum, level) => sum + leastOf(level), 0);
  const remaining = seats - exempt;
  if (remaining > least) return { targets, ...shareFairly(seats, levels) };
  // The demand of exempt requests leaves too little: the others get a part of what they need, at least the minimum.
  const fraction = remaining <= min ? 0 : (remaining - min) / (least - min);
  const limits = levels.map((level) =>
    level.isExempt ? leastOf(level) : level.limits.min + Math.round((leastOf(level) - level.limits.min) * fraction),
  );
  return { limits, targets, fairFraction: 0 };
}

/** The lowest limit of a level: what it needed at a time, as far as that is its own. */
function leastOf({ isExempt, limits, demand }: BorrowingLevel): number {
  const needed = isExempt ? demand.highWatermark : Math.min(limits.nominal, demand.highWatermark);
  return Math.max(limits.min, needed);
}

function shareFairly(seats: number, levels: readonly BorrowingLevel[]): Omit<BorrowedSeats, 'targets'> {
  const classes = levels.filter(({ isExempt }) => !isExempt).map(classOf);
  try {
    const { shares, fairFraction } = allocateConcurrency(seats, classes);
    const rest = shares.values();
    const limits = levels.map((level) => (level.isExempt ? leastOf(level) : Math.round(rest.next().value ?? 0)));
    return { limits, fairFraction };
  } catch (error) {
    const limits = levels.map((level) => (level.isExempt ? leastOf(level) : level.current));
    return { limits, fairFraction: 0, error };
  }
}

function classOf(level: BorrowingLevel): AllocationClass {
  const lowerBound = leastOf(level);
  const target = Math.max(lowerBound, level.demand.smoothed);
  return { lowerBound, upperBound: level.limits.max, target };
}
