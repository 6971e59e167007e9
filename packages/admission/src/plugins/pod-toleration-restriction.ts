import type { Pod, Toleration } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { messageOf, plainFailure } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';
import { NamespaceLookup } from '../namespace-lookup.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { annotatedTolerations } from '../pods/annotated-tolerations.js';
import { consideredSpec } from '../pods/considered-spec.js';
import { areTolerationsAllowed, mergeTolerations } from '../pods/merge-tolerations.js';
import { isBestEffortPod } from '../pods/pod-resources.js';

const DEFAULT_ANNOTATION = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const ALLOWED_ANNOTATION = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

/** Tolerated by pods with resource requests. */
const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

interface Configuration {
  readonly default: readonly Toleration[];
  readonly whitelist: readonly Toleration[];
}

/**
 * Adds the namespace's default tolerations to pods, and restricts pods to its allowed ones. The configuration has
 * both for namespaces without annotations.
 * Upstream: plugin/pkg/admission/podtolerationrestriction
 */
export function podTolerationRestriction(
  dependencies: Pick<AdmissionPluginDependencies, 'informer' | 'client' | 'configuration' | 'features'>,
): AdmissionPlugin {
  const considered = consideredSpec(dependencies.features);
  const configuration = configurationOf(dependencies.configuration);
  const namespaces = new NamespaceLookup(dependencies);
  const check = async (attributes: AdmissionAttributes, namespace: KubeObject) => {
    const { tolerations = [] } = admittedObject<Pod>(attributes).spec;
    if (tolerations.length === 0) return;
    const ofNamespace = tolerationsOf(namespace, ALLOWED_ANNOTATION);
    const allowed = ofNamespace ?? configuration.whitelist;
    if (allowed.length === 0 || (await inSlices(areTolerationsAllowed(tolerations, allowed)))) return;
    const scope = ofNamespace === undefined ? 'cluster' : 'namespace';
    const merged = 'pod tolerations (possibly merged with namespace default tolerations)';
    throw plainFailure(500, `${merged} conflict with its ${scope} whitelist`);
  };
  return {
    name: 'PodTolerationRestriction',
    handles: handlesMain(PODS, 'CREATE', 'UPDATE'),
    async admit(attributes) {
      const namespace = await namespaces.namespaceOf(attributes);
      const { spec } = admittedObject<Pod>(attributes);
      const defaults =
        attributes.operation === 'CREATE'
          ? (tolerationsOf(namespace, DEFAULT_ANNOTATION) ?? configuration.default)
          : [];
      const added = isBestEffortPod(considered(spec)) ? defaults : [...defaults, MEMORY_PRESSURE];
      if (added.length > 0) spec.tolerations = await inSlices(mergeTolerations(spec.tolerations ?? [], added));
      await check(attributes, namespace);
    },
    async validate(attributes) {
      await check(attributes, await namespaces.namespaceOf(attributes));
    },
  };
}

/** Undefined without the annotation. Throws a 500, as upstream, if it cannot be decoded. */
function tolerationsOf({ metadata }: KubeObject, annotation: string): readonly Toleration[] | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined || text === '') return text === undefined ? undefined : [];
  try {
    return annotatedTolerations(text);
  } catch (error) {
    throw plainFailure(500, messageOf(error));
  }
}

/** Throws an Error if the configuration is invalid. */
function configurationOf(configuration: unknown): Configuration {
  const { default: defaults, whitelist } = Object(configuration ?? {});
  return { default: listOf(defaults), whitelist: listOf(whitelist) };
}

function listOf(value: unknown): readonly Toleration[] {
  if (value === undefined || value === null) return [];
  const isObject = (item: unknown): item is Toleration => typeof item === 'object' && item !== null;
  if (!Array.isArray(value) || !value.every(isObject)) throw new Error('tolerations must be a list of objects');
  return value;
}
