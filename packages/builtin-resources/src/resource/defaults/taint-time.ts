import type { DeviceTaint } from '@apiserver/api/resource/v1';
import { formatTime } from '@apiserver/apimachinery/values';

/**
 * The default time of a taint is now. Mutates.
 * Upstream: SetDefaults_DeviceTaint of pkg/apis/resource/v1/defaults.go, and the same of every other version
 */
export function applyTaintTimes(taints: readonly DeviceTaint[] = [], clock: { now(): number }): void {
  for (const taint of taints) taint.timeAdded ??= formatTime(clock.now());
}
