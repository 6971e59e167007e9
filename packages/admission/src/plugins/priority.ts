import type { Pod } from '@apiserver/api/core/v1';
import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import type { AdmissionAttributes, AdmissionPlugin, Informer } from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';

const PRIORITY_CLASSES = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };

/** The fields that a pod takes from its class, or from the absence of a default class. */
type Rank = Pick<PriorityClass, 'value' | 'preemptionPolicy'> & { readonly name: string };

const NO_CLASS: Rank = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

/**
 * Sets the priority of a new pod from its class or the default class, and allows at most one default class.
 * Upstream: plugin/pkg/admission/priority
 */
export function priority({ informer }: Pick<AdmissionPluginDependencies, 'informer'>): AdmissionPlugin {
  const classes = informer<PriorityClass>(PRIORITY_CLASSES);
  const view = new ViewReadiness(classes);
  const ofPods = handlesMain(PODS, 'CREATE', 'UPDATE');
  const ofClasses = handlesMain(PRIORITY_CLASSES, 'CREATE', 'UPDATE');
  return {
    name: 'Priority',
    handles: (operation, endpoint) => ofPods(operation, endpoint) || ofClasses(operation, endpoint),
    async admit(attributes) {
      if (attributes.resource.resource !== PODS.resource) return;
      if (attributes.operation === 'UPDATE') return keepRank(attributes);
      await view.ready(attributes);
      admitNewPod(attributes, classes);
    },
    async validate(attributes) {
      if (attributes.resource.resource !== PRIORITY_CLASSES.resource) return;
      const { globalDefault, metadata } = admittedObject<PriorityClass>(attributes);
      if (!globalDefault) return;
      await view.ready(attributes);
      const known = defaultClass(classes);
      if (known === undefined || (attributes.operation === 'UPDATE' && known.metadata.name === metadata.name)) return;
      const fault = `PriorityClass ${known.metadata.name} is already marked as default. Only one default can exist`;
      throw newAdmissionForbidden(attributes, fault);
    },
  };
}

/** An update that omits them leaves them unchanged: both fields are immutable. */
function keepRank(attributes: AdmissionAttributes): void {
  const { spec } = admittedObject<Pod>(attributes);
  const old = storedObject<Pod>(attributes)?.spec;
  if (spec.priority === undefined && old?.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old?.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}

function admitNewPod(attributes: AdmissionAttributes, classes: Informer<PriorityClass>): void {
  const { spec } = admittedObject<Pod>(attributes);
  const rank = rankOf(attributes, spec.priorityClassName ?? '', classes);
  const { value = 0, preemptionPolicy } = rank;
  if (spec.priority !== undefined && spec.priority !== value) {
    const given = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
    throw newAdmissionForbidden(attributes, `${given}; priority admission controller computed ${value} ${FROM_NAME}`);
  }
  if (preemptionPolicy !== undefined && (spec.preemptionPolicy ?? preemptionPolicy) !== preemptionPolicy) {
    const given = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`;
    const fault = `${given}; priority admission controller computed ${preemptionPolicy} ${FROM_NAME}`;
    throw newAdmissionForbidden(attributes, fault);
  }
  if (rank.name !== '') spec.priorityClassName = rank.name;
  spec.priority = value;
  if (preemptionPolicy !== undefined) spec.preemptionPolicy = preemptionPolicy;
}

const FROM_NAME = 'from the given PriorityClass name';

function rankOf(attributes: AdmissionAttributes, name: string, classes: Informer<PriorityClass>): Rank {
  if (name === '') return rankFrom(defaultClass(classes)) ?? NO_CLASS;
  const rank = rankFrom(classes.get('', name));
  if (rank === undefined) throw newAdmissionForbidden(attributes, `no PriorityClass with name ${name} was found`);
  return rank;
}

function rankFrom(found: PriorityClass | undefined): Rank | undefined {
  return found && { ...found, name: found.metadata.name ?? '' };
}

/** Several can be the default if they were created at the same time; the lowest priority wins. */
function defaultClass(classes: Informer<PriorityClass>): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const candidate of classes.list()) {
    if (!candidate.globalDefault) continue;
    if (found === undefined || (found.value ?? 0) > (candidate.value ?? 0)) found = candidate;
  }
  return found;
}
