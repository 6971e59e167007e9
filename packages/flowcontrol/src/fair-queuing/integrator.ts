/** Statistics of a value over a time. Upstream: IntegratorResults */
export interface IntegratorResults {
  /** Seconds. */
  readonly duration: number;
  /** Weighted by time; NaN for no time. */
  readonly average: number;
  /** Standard deviation; NaN for no time. */
  readonly deviation: number;
  readonly max: number;
}

/**
 * Integrates a value over time. Times are milliseconds.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/integrator.go
 */
export class Integrator {
  #lastTime: number;
  #value = 0;
  #max = 0;
  #elapsed = 0;
  #integral = 0;
  #integralOfSquares = 0;

  constructor(now: number) {
    this.#lastTime = now;
  }

  set(value: number, now: number): void {
    this.#integrate(now);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** The results up to now. The next ones begin now. */
  reset(now: number): IntegratorResults {
    this.#integrate(now);
    const results = this.#results();
    this.#elapsed = 0;
    this.#integral = 0;
    this.#integralOfSquares = 0;
    this.#max = this.#value;
    return results;
  }

  #integrate(now: number): void {
    const seconds = (now - this.#lastTime) / 1e3;
    this.#lastTime = now;
    this.#elapsed += seconds;
    this.#integral += this.#value * seconds;
    this.#integralOfSquares += this.#value * this.#value * seconds;
  }

  #results(): IntegratorResults {
    const duration = this.#elapsed;
    const max = this.#max;
    if (duration <= 0) return { duration, max, average: Number.NaN, deviation: Number.NaN };
    const average = this.#integral / duration;
    const variance = this.#integralOfSquares / duration - average * average;
    return { duration, max, average, deviation: Math.sqrt(variance) };
  }
}
