import type { IntOrString } from '@apiserver/apimachinery/values';

/** The strategy of a Deployment or DaemonSet as upstream prints it: its internal type has no JSON names. */
export function printedRollingStrategy({ type = '', rollingUpdate }: RollingStrategy): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const printed = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  return { Type: type, RollingUpdate: printed };
}

interface RollingStrategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString };
}

/**
 * Reports whether a count or a percentage is zero. A text that is no percentage counts as the number that it states, or
 * as zero. Upstream: getIntOrPercentValue of pkg/apis/apps/validation
 */
export function isZero(value: IntOrString): boolean {
  if (typeof value === 'number') return value === 0;
  const digits = /^[0-9]+(?=%$)|^[+-]?[0-9]+$/.exec(value)?.[0] ?? '';
  return !/[1-9]/.test(digits);
}
