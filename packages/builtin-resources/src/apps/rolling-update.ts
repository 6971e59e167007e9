import type { IntOrString } from '@apiserver/apimachinery';

/** Whether a count or a percentage is none at all. Upstream: getIntOrPercentValue of pkg/apis/apps/validation */
export function isZero(value: IntOrString): boolean {
  return typeof value === 'number' ? value === 0 : Number(/^([0-9]+)%$/.exec(value)?.[1] ?? 0) === 0;
}
