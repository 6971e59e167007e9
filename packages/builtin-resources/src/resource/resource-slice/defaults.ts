import type { ResourceSlice } from '@apiserver/api/resource/v1';
import { formatTime } from '@apiserver/apimachinery/values';

/** The default time of a taint is now. Upstream: SetDefaults_DeviceTaint of pkg/apis/resource/v1/defaults.go */
export function resourceSliceDefaults(clock: { now(): number }): (slice: ResourceSlice) => void {
  return ({ spec }) => {
    for (const { taints = [] } of spec.devices ?? []) {
      for (const taint of taints) taint.timeAdded ??= formatTime(clock.now());
    }
  };
}
