import type { PodSpec, PodTemplateSpec, VolumeProjection } from '@apiserver/api/core/v1';
import { allContainers } from './visit-containers.js';

/**
 * Drops fields of disabled features, unless the old spec has them. Mutates.
 * Upstream: DropDisabledPodFields of pkg/api/pod/util.go
 */
export function dropDisabledPodFields(spec: PodSpec, old?: PodSpec): void {
  if (!old || !usesStopSignal(old)) dropStopSignals(spec);
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  for (const field of ['clusterTrustBundle', 'podCertificate'] as const) {
    if (!old || !projections(old).some((source) => source[field] !== undefined)) dropProjections(spec, field);
  }
}

/** The same for a template. */
export function dropDisabledTemplateFields(
  template: PodTemplateSpec | undefined,
  old?: PodTemplateSpec | undefined,
): void {
  if (template !== undefined) dropDisabledPodFields(template.spec, old?.spec);
}

function usesStopSignal(spec: PodSpec): boolean {
  return [...allContainers(spec)].some(({ lifecycle }) => lifecycle?.stopSignal !== undefined);
}

function dropStopSignals(spec: PodSpec): void {
  for (const container of allContainers(spec)) {
    const { lifecycle } = container;
    if (lifecycle?.stopSignal === undefined) continue;
    delete lifecycle.stopSignal;
    if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
  }
}

function projections({ volumes = [] }: PodSpec): readonly VolumeProjection[] {
  return volumes.flatMap(({ projected }) => projected?.sources ?? []);
}

function dropProjections(spec: PodSpec, field: 'clusterTrustBundle' | 'podCertificate'): void {
  for (const source of projections(spec)) delete source[field];
}
