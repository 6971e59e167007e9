import type { PodSpec, PodTemplateSpec, VolumeProjection } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Strategy } from '@apiserver/apiserver-contracts';
import type { PodFeatures } from './pod-features.js';
import { allContainers } from './visit-containers.js';

/** The places of pod specs, in pods and in the kinds that make them. */
interface WithPodSpec {
  readonly spec?:
    | PodSpec
    | { readonly template: PodTemplateSpec | undefined }
    | { readonly jobTemplate: JobTemplate | undefined };
  readonly template?: PodTemplateSpec;
}

interface JobTemplate {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

/**
 * The strategy of a kind with pods, which drops fields of disabled features before all else. An update keeps those that the
 * old object has.
 * Upstream: DropDisabledPodFields and DropDisabledTemplateFields of pkg/api/pod/util.go, which each strategy calls
 */
export function droppingDisabledFields<T extends KubeObject>(
  strategy: Strategy<T>,
  features: PodFeatures,
): Strategy<T> {
  return {
    ...strategy,
    prepareForCreate(context, object) {
      dropDisabledPodFields(features, podSpecOf(object), undefined);
      return strategy.prepareForCreate?.(context, object);
    },
    prepareForUpdate(context, object, old) {
      dropDisabledPodFields(features, podSpecOf(object), podSpecOf(old));
      return strategy.prepareForUpdate?.(context, object, old);
    },
  };
}

function podSpecOf({ spec, template }: KubeObject & WithPodSpec): PodSpec | undefined {
  if (spec === undefined) return template?.spec;
  if ('template' in spec) return spec.template?.spec;
  return 'jobTemplate' in spec ? spec.jobTemplate?.spec?.template?.spec : spec;
}

/** Drops the fields of disabled features, unless `old` has them. Mutates `spec`. */
export function dropDisabledPodFields(
  features: PodFeatures,
  spec: PodSpec | undefined,
  old: PodSpec | undefined,
): void {
  if (spec === undefined) return;
  if (!old || !usesStopSignal(old)) dropStopSignals(spec);
  if (!features.GenericWorkload && old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  if (!features.ClusterTrustBundleProjection) dropProjections('clusterTrustBundle', spec, old);
  if (!features.PodCertificateRequest) dropProjections('podCertificate', spec, old);
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

/** One such source of the old spec keeps all of the new one. */
function dropProjections(
  field: 'clusterTrustBundle' | 'podCertificate',
  spec: PodSpec,
  old: PodSpec | undefined,
): void {
  if (old !== undefined && projections(old).some((source) => source[field] !== undefined)) return;
  for (const source of projections(spec)) delete source[field];
}

function projections({ volumes }: PodSpec): readonly VolumeProjection[] {
  return (volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
}
