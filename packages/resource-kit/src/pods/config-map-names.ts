import type { PodSpec } from '@apiserver/api/core/v1';
import { allContainers } from './all-containers.js';

/**
 * The names of the config maps that a pod refers to, with duplicates.
 * Upstream: VisitPodConfigmapNames of pkg/api/pod/util.go
 */
export function* podConfigMapNames(spec: PodSpec): Generator<string> {
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { configMapRef } of envFrom) if (configMapRef !== undefined) yield configMapRef.name ?? '';
    for (const { valueFrom } of env) {
      if (valueFrom?.configMapKeyRef !== undefined) yield valueFrom.configMapKeyRef.name ?? '';
    }
  }
  for (const { configMap, projected } of spec.volumes ?? []) {
    if (configMap !== undefined) yield configMap.name ?? '';
    for (const { configMap: source } of projected?.sources ?? []) if (source !== undefined) yield source.name ?? '';
  }
}
