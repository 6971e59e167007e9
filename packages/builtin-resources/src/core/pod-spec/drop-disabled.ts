import type { PodSpec, PodTemplateSpec, VolumeProjection } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Strategy } from '@apiserver/apiserver-contracts';
import type { PodFeatures } from './pod-features.js';
import { usesEnvFiles, usesRestartRules } from './used-features.js';
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

/** The fields of pods that belong to a feature. */
interface GatedFields {
  readonly feature: keyof PodFeatures;
  /** Reports whether an old spec has any of them, and so keeps those of the new one. */
  isUsed(spec: PodSpec): boolean;
  /** Mutates `spec`. */
  drop(spec: PodSpec): void;
}

/** Upstream: dropDisabledFields of pkg/api/pod/util.go */
const GATED_FIELDS: readonly GatedFields[] = [
  {
    feature: 'GenericWorkload',
    isUsed: ({ schedulingGroup }) => schedulingGroup !== undefined,
    drop(spec) {
      delete spec.schedulingGroup;
    },
  },
  { feature: 'ClusterTrustBundleProjection', ...projectionOf('clusterTrustBundle') },
  { feature: 'PodCertificateRequest', ...projectionOf('podCertificate') },
  { feature: 'ContainerStopSignals', isUsed: usesStopSignal, drop: dropStopSignals },
  { feature: 'ContainerRestartRules', isUsed: usesRestartRules, drop: dropRestartRules },
  { feature: 'EnvFiles', isUsed: usesEnvFiles, drop: dropEnvFiles },
  {
    feature: 'HostnameOverride',
    isUsed: ({ hostnameOverride }) => hostnameOverride !== undefined,
    drop(spec) {
      delete spec.hostnameOverride;
    },
  },
  {
    feature: 'MatchLabelKeysInPodTopologySpread',
    isUsed: ({ topologySpreadConstraints = [] }) =>
      topologySpreadConstraints.some(({ matchLabelKeys = [] }) => matchLabelKeys.length > 0),
    drop({ topologySpreadConstraints = [] }) {
      for (const constraint of topologySpreadConstraints) delete constraint.matchLabelKeys;
    },
  },
];

/**
 * Drops the fields of disabled features, unless `old` has them. Mutates `spec`.
 * Upstream: dropDisabledFields of pkg/api/pod/util.go
 */
export type DropDisabledFields = (spec: PodSpec, old: PodSpec | undefined) => void;

/** Drops what these features do not enable. Make it once for a server. */
export function disabledFieldsDropper(features: PodFeatures): DropDisabledFields {
  const disabled = GATED_FIELDS.filter(({ feature }) => !features[feature]);
  return (spec, old) => {
    for (const { isUsed, drop } of disabled) {
      if (old === undefined || !isUsed(old)) drop(spec);
    }
  };
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
function projectionOf(field: 'clusterTrustBundle' | 'podCertificate'): Pick<GatedFields, 'isUsed' | 'drop'> {
  return {
    isUsed: (spec) => projections(spec).some((source) => source[field] !== undefined),
    drop(spec) {
      for (const source of projections(spec)) delete source[field];
    },
  };
}

function projections({ volumes }: PodSpec): readonly VolumeProjection[] {
  return (volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
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

function dropEnvFiles(spec: PodSpec): void {
  for (const { env = [] } of allContainers(spec)) {
    for (const { valueFrom } of env) delete valueFrom?.fileKeyRef;
  }
}
