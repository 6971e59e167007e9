import type { PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { allContainers } from '@apiserver/resource-kit/pods';
import { type DropDisabledFields, droppingFields, type GatedFields, gatedFields } from '../../gated-fields.js';
import type { PodFeatures } from './pod-features.js';
import { usesRestartRules } from './used-features.js';

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
 * The strategy of a kind with pods, which drops fields of disabled features before all else. An update keeps those that
 * the old object has.
 * Upstream: DropDisabledPodFields and DropDisabledTemplateFields of pkg/api/pod/util.go, which each strategy calls
 */
export function droppingDisabledFields<T extends KubeObject>(
  strategy: Strategy<T>,
  features: PodFeatures,
): Strategy<T> {
  const dropDisabled = disabledFieldsDropper(features);
  return {
    ...strategy,
    prepareForCreate(context, object) {
      const spec = podSpecOf(object);
      if (spec !== undefined) dropDisabled(spec, undefined);
      return strategy.prepareForCreate?.(context, object);
    },
    prepareForUpdate(context, object, old) {
      const spec = podSpecOf(object);
      if (spec !== undefined) dropDisabled(spec, podSpecOf(old));
      return strategy.prepareForUpdate?.(context, object, old);
    },
  };
}

function podSpecOf({ spec, template }: KubeObject & WithPodSpec): PodSpec | undefined {
  if (spec === undefined) return template?.spec;
  if ('template' in spec) return spec.template?.spec;
  return 'jobTemplate' in spec ? spec.jobTemplate?.spec?.template?.spec : spec;
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** Upstream: dropDisabledFields of pkg/api/pod/util.go */
const GATED_FIELDS: Partial<Readonly<Record<keyof PodFeatures, GatedFields<PodSpec>>>> = {
  ClusterTrustBundleProjection: gatedFields('volumes.*.projected.sources.*.clusterTrustBundle'),
  ContainerRestartRules: { isUsed: usesRestartRules, drop: dropRestartRules },
  ContainerStopSignals: { isUsed: usesStopSignal, drop: dropStopSignals },
  EnvFiles: gatedFields(...CONTAINERS.map((list) => `${list}.*.env.*.valueFrom.fileKeyRef`)),
  GenericWorkload: gatedFields('schedulingGroup'),
  HostnameOverride: gatedFields('hostnameOverride'),
  MatchLabelKeysInPodTopologySpread: gatedFields('topologySpreadConstraints.*.matchLabelKeys'),
  PodLevelResources: { isUsed: usesPodLevelResources, drop: dropPodLevelResources },
  PodCertificateRequest: gatedFields('volumes.*.projected.sources.*.podCertificate'),
};

/** Drops what these features do not enable. Make it once for a server. */
export function disabledFieldsDropper(features: PodFeatures): DropDisabledFields<PodSpec> {
  const names = Object.keys(GATED_FIELDS) as (keyof PodFeatures)[];
  return droppingFields(names.flatMap((name) => (features[name] ? [] : (GATED_FIELDS[name] ?? []))));
}

/** Empty resources are none. Upstream: podLevelResourcesInUse */
function usesPodLevelResources({ resources }: PodSpec): boolean {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;
}

function dropPodLevelResources(spec: PodSpec): void {
  delete spec.resources;
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

/** Sidecars are older than the feature. */
function dropRestartRules(spec: PodSpec): void {
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy !== 'Always') delete container.restartPolicy;
    delete container.restartPolicyRules;
  }
  for (const container of [...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) {
    delete container.restartPolicy;
    delete container.restartPolicyRules;
  }
}
