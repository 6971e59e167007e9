import type { KubeObject } from '@apiserver/apimachinery';
import { isNotFound, newInternalError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import type { AdmissionPluginDependencies } from './plugin-definition.js';
import { ViewReadiness } from './view-readiness.js';

/** The resource of namespaces, for clients and informers. */
export const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/** Finds namespaces in the shared informer, and through the API if the informer lacks them. */
export class NamespaceLookup {
  readonly #namespaces: Informer<KubeObject>;
  readonly #client: ResourceClient<KubeObject>;
  readonly #view: ViewReadiness;

  constructor({ informer, client }: Pick<AdmissionPluginDependencies, 'informer' | 'client'>) {
    this.#namespaces = informer(NAMESPACES);
    this.#client = client.resource(NAMESPACES);
    this.#view = new ViewReadiness(this.#namespaces);
  }

  /** The namespace as the informer has it. Throws 403 if the informer does not sync in time. */
  async viewed(attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
    await this.#view.ready(attributes);
    return this.#namespaces.get('', attributes.namespace);
  }

  /** The namespace of a request. Throws 404 if it does not exist. */
  async namespaceOf(attributes: AdmissionAttributes): Promise<KubeObject> {
    const known = await this.viewed(attributes);
    if (known !== undefined) return known;
    try {
      return await this.#client.get('', attributes.namespace);
    } catch (error) {
      throw isNotFound(error) ? error : newInternalError(error);
    }
  }
}
