import type { Pod, PodSpec } from '@apiserver/api/core/v1';
import type { RuntimeClass } from '@apiserver/api/node/v1';
import { inSlices } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import { getOwn } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { Quantity } from '@apiserver/apimachinery/values';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { mergeTolerations } from '../pods/merge-tolerations.js';

const RUNTIME_CLASSES = { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses' };
const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNDEFINED = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

type Dependencies = Pick<AdmissionPluginDependencies, 'informer' | 'client'>;
type Amounts = Readonly<Record<string, string>>;

/**
 * Sets the overhead, node selector and tolerations of the RuntimeClass on new pods.
 * Upstream: plugin/pkg/admission/runtimeclass
 */
export function runtimeClass({ informer, client }: Dependencies): AdmissionPlugin {
  const view = informer<RuntimeClass>(RUNTIME_CLASSES);
  const classes = client.resource<RuntimeClass>(RUNTIME_CLASSES);
  /** Looks up a class through the API if the informer lacks it. Throws 403 if it does not exist. */
  const classOf = async (attributes: AdmissionAttributes, name: string): Promise<RuntimeClass> => {
    try {
      return view.get('', name) ?? (await classes.get('', name));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw newAdmissionForbidden(attributes, `pod rejected: RuntimeClass ${quote(name)} not found`);
    }
  };
  return {
    name: 'RuntimeClass',
    handles: handlesMain(PODS, 'CREATE'),
    admit(attributes) {
      const { spec } = admittedObject<Pod>(attributes);
      const { runtimeClassName } = spec;
      if (runtimeClassName === undefined) return;
      return classOf(attributes, runtimeClassName).then((found) => {
        setOverhead(attributes, spec, found);
        return setScheduling(attributes, spec, found);
      });
    },
    validate(attributes) {
      const { runtimeClassName, overhead } = admittedObject<Pod>(attributes).spec;
      if (runtimeClassName === undefined) return checkOverhead(attributes, overhead, undefined);
      return classOf(attributes, runtimeClassName).then((found) => checkOverhead(attributes, overhead, found));
    },
  };
}

function setOverhead(attributes: AdmissionAttributes, spec: PodSpec, { overhead }: RuntimeClass): void {
  if (overhead === undefined) return;
  const { podFixed } = overhead;
  if (spec.overhead !== undefined && !areSame(podFixed, spec.overhead)) {
    throw newAdmissionForbidden(attributes, MISMATCH);
  }
  if (podFixed !== undefined) spec.overhead = { ...podFixed };
  else delete spec.overhead;
}

async function setScheduling(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  { scheduling }: RuntimeClass,
): Promise<void> {
  if (scheduling === undefined) return;
  const { nodeSelector, tolerations = [] } = scheduling;
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    const ofPod = getOwn(spec.nodeSelector ?? {}, key);
    if (ofPod === undefined || ofPod === value) continue;
    const fault = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${ofPod}`;
    throw newAdmissionForbidden(attributes, fault);
  }
  if (nodeSelector !== undefined) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const merged = await inSlices(mergeTolerations(spec.tolerations ?? [], tolerations));
  if (merged.length > 0) spec.tolerations = merged;
}

function checkOverhead(
  attributes: AdmissionAttributes,
  ofPod: Amounts | undefined,
  found: RuntimeClass | undefined,
): void {
  if (found?.overhead === undefined) {
    if (ofPod !== undefined) throw newAdmissionForbidden(attributes, UNDEFINED);
    return;
  }
  if (!areSame(found.overhead.podFixed, ofPod)) throw newAdmissionForbidden(attributes, MISMATCH);
}

/** Compares amounts by value, not by notation. */
function areSame(a: Amounts = {}, b: Amounts = {}): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [first, second] = [a[name], b[name]];
    return second !== undefined && Quantity.parse(first ?? '').compare(Quantity.parse(second)) === 0;
  });
}
