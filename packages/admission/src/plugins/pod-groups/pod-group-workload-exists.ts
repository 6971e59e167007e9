import type { PodGroup, Workload } from '@apiserver/api/scheduling/v1alpha2';
import { isNotFound, newInternalError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes, AdmissionPlugin, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { handlesMain } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { POD_GROUPS, WORKLOADS } from './pod-group-resources.js';

type Dependencies = Pick<AdmissionPluginDependencies, 'client' | 'features' | 'informer'>;

/**
 * Refuses a new PodGroup whose Workload, or whose template in it, does not exist.
 * Upstream: plugin/pkg/admission/podgroup
 */
export function podGroupWorkloadExists(dependencies: Dependencies): AdmissionPlugin {
  const isEnabled = dependencies.features.enabled('GenericWorkload');
  const handles = handlesMain(POD_GROUPS, 'CREATE');
  const lookup = new WorkloadLookup(dependencies);
  return {
    name: 'PodGroupWorkloadExists',
    handles: (operation, endpoint) => isEnabled && handles(operation, endpoint),
    async validate(attributes) {
      const reference = admittedObject<PodGroup>(attributes).spec.podGroupTemplateRef?.workload;
      if (!reference) return;
      const { workloadName, podGroupTemplateName } = reference;
      const { metadata, spec } = await lookup.workloadOf(attributes, workloadName);
      if (metadata.deletionTimestamp !== undefined) {
        throw newAdmissionForbidden(attributes, `PodGroup rejected: Workload ${quote(workloadName)} is being deleted`);
      }
      if (spec.podGroupTemplates?.some(({ name }) => name === podGroupTemplateName)) return;
      const missing = `PodGroupTemplate ${quote(podGroupTemplateName)} not found in Workload ${quote(workloadName)}`;
      throw newAdmissionForbidden(attributes, `PodGroup rejected: ${missing}`);
    },
  };
}

/** Finds workloads in the shared informer, and through the API if the informer lacks them. */
class WorkloadLookup {
  readonly #workloads: Informer<Workload>;
  readonly #client: ResourceClient<Workload>;
  readonly #view: ViewReadiness;

  constructor({ informer, client }: Dependencies) {
    this.#workloads = informer(WORKLOADS);
    this.#client = client.resource(WORKLOADS);
    this.#view = new ViewReadiness(this.#workloads);
  }

  async workloadOf(attributes: AdmissionAttributes, name: string): Promise<Workload> {
    await this.#view.ready(attributes);
    const known = this.#workloads.get(attributes.namespace, name);
    if (known !== undefined) return known;
    try {
      return await this.#client.get(attributes.namespace, name);
    } catch (error) {
      if (!isNotFound(error)) throw newInternalError(error);
      throw newAdmissionForbidden(attributes, `PodGroup rejected: Workload ${quote(name)} not found`);
    }
  }
}
