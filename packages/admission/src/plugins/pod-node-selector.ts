import type { Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { atOnce, inSlices } from '@apiserver/apimachinery/clock';
import {
  isForbidden,
  newForbidden,
  newInternalError,
  plainFailure,
  type StatusError,
} from '@apiserver/apimachinery/errors';
import { getOwn, goField } from '@apiserver/apimachinery/json';
import { quote, trimSpace } from '@apiserver/apimachinery/text';
import { isLabelValue, isQualifiedName } from '@apiserver/apimachinery/validation';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';
import { NamespaceLookup } from '../namespace-lookup.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

type NodeSelector = Readonly<Record<string, string>>;

/**
 * Merges the namespace's node selector into each pod's, and restricts pods to the configured selectors of the
 * namespace.
 * Upstream: plugin/pkg/admission/podnodeselector
 */
export function podNodeSelector(
  dependencies: Pick<AdmissionPluginDependencies, 'informer' | 'client' | 'configuration'>,
): AdmissionPlugin {
  const configured = selectorsOf(dependencies.configuration);
  const namespaces = new NamespaceLookup(dependencies);
  const namespaceSelector = async (attributes: AdmissionAttributes) =>
    selectorOf(await namespaceOf(attributes, namespaces), configured);
  const check = (attributes: AdmissionAttributes, ofNamespace: NodeSelector) => {
    const { metadata, spec } = admittedObject<Pod>(attributes);
    const ofPod = spec.nodeSelector ?? {};
    if (conflict(ofNamespace, ofPod)) {
      throw refusal(
        attributes,
        metadata.name,
        'pod node label selector conflicts with its namespace node label selector',
      );
    }
    const allowed = atOnce(selectorSteps(configured.get(attributes.namespace) ?? ''));
    if (isWithin(ofPod, allowed)) return;
    throw refusal(attributes, metadata.name, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    handles: handlesMain(PODS, 'CREATE'),
    async admit(attributes) {
      const selector = await namespaceSelector(attributes);
      const { spec } = admittedObject<Pod>(attributes);
      const merged = { ...selector, ...spec.nodeSelector };
      if (!conflict(selector, spec.nodeSelector ?? {}) && Object.keys(merged).length > 0) spec.nodeSelector = merged;
      check(attributes, selector);
    },
    async validate(attributes) {
      check(attributes, await namespaceSelector(attributes));
    },
  };
}

/** Throws a 500, as upstream, if the namespace cannot be read. */
async function namespaceOf(attributes: AdmissionAttributes, namespaces: NamespaceLookup): Promise<KubeObject> {
  try {
    return await namespaces.namespaceOf(attributes);
  } catch (error) {
    throw isForbidden(error) ? error : newInternalError(`namespace ${attributes.namespace} does not exist`);
  }
}

function refusal(attributes: AdmissionAttributes, name: string | undefined, fault: string): StatusError {
  return newForbidden(attributes.resource, name ?? '', fault);
}

async function selectorOf({ metadata }: KubeObject, configured: ReadonlyMap<string, string>): Promise<NodeSelector> {
  const text = metadata.annotations?.[ANNOTATION] ?? configured.get(CLUSTER_DEFAULT) ?? '';
  return await inSlices(selectorSteps(text));
}

function conflict(a: NodeSelector, b: NodeSelector): boolean {
  return Object.entries(a).some(([key, value]) => (getOwn(b, key) ?? value) !== value);
}

/** A namespace without configured selectors allows everything. */
function isWithin(selector: NodeSelector, allowed: NodeSelector): boolean {
  if (Object.keys(allowed).length === 0) return true;
  return Object.entries(selector).every(([key, value]) => allowed[key] === value);
}

/**
 * Parses `a=b,c=d`, of which an annotation may have 65,000. Throws a 500, as upstream, if it is invalid.
 * Upstream: labels.ConvertSelectorToLabelsMap
 */
function* selectorSteps(text: string): Generator<void, NodeSelector> {
  const selector: Record<string, string> = {};
  for (const part of text === '' ? [] : text.split(',')) {
    const parts = part.split('=');
    if (parts.length !== 2) throw plainFailure(500, `invalid selector: [${parts.join(' ')}]`);
    const [key = '', value = ''] = parts.map(trimSpace);
    checkPart(key, isQualifiedName(key), '<nil>');
    checkPart(value, isLabelValue(value), `[${key}]`);
    selector[key] = value;
    yield;
  }
  return selector;
}

/** Throws an Error if the configuration is invalid. */
function selectorsOf(configuration: unknown): ReadonlyMap<string, string> {
  if (configuration === undefined) return new Map();
  const selectors = goField(Object(configuration), 'podNodeSelectorPluginConfig') ?? {};
  const entries = Object.entries(Object(selectors)).map(([name, selector]): [string, string] => {
    if (typeof selector !== 'string') throw new Error(`podNodeSelectorPluginConfig.${name} must be a text`);
    return [name, selector];
  });
  return new Map(entries);
}

/** Throws the faults of a key or value. `path` is that of a field error below no field. */
function checkPart(text: string, faults: readonly string[], path: string): void {
  if (faults.length > 0) throw plainFailure(500, `${path}: Invalid value: ${quote(text)}: ${faults.join('; ')}`);
}
