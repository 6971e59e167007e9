import type { ResourceSlice } from '@apiserver/api/resource/v1';
import { applyTaintTimes } from '../defaults/taint-time.js';

/** Defaults of v1 and v1beta2: the times of taints. */
export function resourceSliceDefaults(clock: { now(): number }): (slice: ResourceSlice) => void {
  return ({ spec }) => {
    for (const { taints } of spec.devices ?? []) applyTaintTimes(taints, clock);
  };
}
