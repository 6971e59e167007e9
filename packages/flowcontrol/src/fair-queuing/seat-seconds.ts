/**
 * Work, in units of 10⁻⁸ seat-seconds: whole numbers, so that sums are exact.
 * Upstream: SeatSeconds of k8s.io/apiserver/pkg/util/flowcontrol/request
 */
export type SeatSeconds = number;

/** Units of a seat-second. */
const SCALE = 1e8;

/** Units of a seat-millisecond. */
const PER_MILLISECOND = SCALE / 1e3;

/** The highest progress that is kept exactly. Upstream has 64 bits. */
export const MAX_SEAT_SECONDS: SeatSeconds = Number.MAX_SAFE_INTEGER;

/** The work of a number of seats, which may be a fraction, during a time. Halves are rounded away from zero. */
export function seatsTimes(seats: number, milliseconds: number): SeatSeconds {
  const exact = seats * milliseconds * PER_MILLISECOND;
  return exact < 0 ? -Math.round(-exact) : Math.round(exact);
}

/** The time in milliseconds in which a number of seats does the work. */
export function millisecondsPerSeat(work: SeatSeconds, seats: number): number {
  return work / seats / PER_MILLISECOND;
}

/** In seat-seconds, for metrics. */
export function toSeatSeconds(work: SeatSeconds): number {
  return work / SCALE;
}

/** As upstream prints it. */
export function formatSeatSeconds(work: SeatSeconds): string {
  const whole = Math.floor(work / SCALE);
  return `${whole}.${String(work - whole * SCALE).padStart(8, '0')}ss`;
}
