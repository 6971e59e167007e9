import type { KubeObject } from '@apiserver/apimachinery';
import { newNotFound } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, Informer } from '@apiserver/apiserver-contracts';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';

/**
 * Finds objects of the core group in an informer. Its 404 names the singular of the resource, as upstream's listers do.
 */
export class CoreView<T extends KubeObject> {
  readonly #objects: Informer<T>;
  readonly #readiness: ViewReadiness;
  readonly #resource: string;

  constructor({ informer }: Pick<AdmissionPluginDependencies, 'informer'>, resource: string) {
    this.#objects = informer<T>({ group: '', version: 'v1', resource });
    this.#readiness = new ViewReadiness(this.#objects);
    this.#resource = resource;
  }

  ready(attributes: AdmissionAttributes): Promise<void> | undefined {
    return this.#readiness.ready(attributes);
  }

  /** Throws 404. */
  get(namespace: string, name: string): T {
    const found = this.#objects.get(namespace, name);
    if (found === undefined) throw newNotFound({ group: '', resource: this.#resource.slice(0, -1) }, name);
    return found;
  }
}
