import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import type { InstalledView } from '@apiserver/endpoints-installer';
import { resourceName } from './peer-discovery.js';

/** The resources of this server, to be found by name. */
export class ServedResources {
  readonly #view: InstalledView;
  /** Undefined after a change. */
  #names: ReadonlySet<string> | undefined = undefined;

  constructor(view: InstalledView) {
    this.#view = view;
    view.onChange(() => {
      this.#names = undefined;
    });
  }

  has(group: string, version: string, resource: string): boolean {
    return this.read().has(resourceName(group, version, resource));
  }

  read(): ReadonlySet<string> {
    this.#names ??= new Set(this.#view.installed().flatMap(resourceNames));
    return this.#names;
  }
}

function resourceNames({ group, versions, resources }: APIGroupInfo): readonly string[] {
  return resources.flatMap(({ definition }) =>
    definition.versions
      .filter(({ version }) => versions.includes(version))
      .map(({ version }) => resourceName(group, version, definition.resource)),
  );
}
