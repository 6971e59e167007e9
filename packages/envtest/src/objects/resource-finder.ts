import type { GroupVersionResource } from '@apiserver/apimachinery';
import { ControlPlaneError } from '@apiserver/test-powers';
import { describeManifest, type Manifest } from './manifest.js';
import type { PlaneRequests } from './plane-requests.js';

/** A resource as discovery describes it. */
export interface FoundResource extends GroupVersionResource {
  readonly namespaced: boolean;
}

interface ResourceEntry {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Finds the resources of kinds by discovery, each group version once. */
export class ResourceFinder {
  readonly #requests: PlaneRequests;
  readonly #lists = new Map<string, Promise<readonly ResourceEntry[]>>();

  constructor(requests: PlaneRequests) {
    this.#requests = requests;
  }

  /** Throws a ControlPlaneError for a kind that the plane does not serve. */
  async find(manifest: Manifest): Promise<FoundResource> {
    const { apiVersion, kind } = manifest.object;
    let list = this.#lists.get(apiVersion);
    if (list === undefined) {
      list = this.#read(apiVersion);
      this.#lists.set(apiVersion, list);
    }
    const entry = (await list).find((each) => each.kind === kind && !each.name.includes('/'));
    if (entry === undefined) {
      throw new ControlPlaneError(`${describeManifest(manifest)}: the plane does not serve ${apiVersion} ${kind}`);
    }
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    return { group, version: apiVersion.slice(slash + 1), resource: entry.name, namespaced: entry.namespaced };
  }

  /** Empty for a group version that is not served. */
  async #read(apiVersion: string): Promise<readonly ResourceEntry[]> {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { status, value } = await this.#requests.send('GET', path);
    return status === 200 && isResourceList(value) ? value.resources : [];
  }
}

function isResourceList(value: unknown): value is { readonly resources: readonly ResourceEntry[] } {
  return typeof value === 'object' && value !== null && 'resources' in value && Array.isArray(value.resources);
}
