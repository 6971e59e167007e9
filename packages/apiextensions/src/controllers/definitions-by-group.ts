import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { Informer } from '@apiserver/apiserver-contracts';

/** The definitions of an informer by their group: names conflict only within one. */
export class DefinitionsByGroup {
  /** By name within the group. */
  readonly #groups = new Map<string, Map<string, CustomResourceDefinition>>();

  constructor(informer: Informer<CustomResourceDefinition>) {
    const put = (definition: CustomResourceDefinition) => this.#put(definition);
    informer.subscribe({ added: put, updated: put, deleted: (definition) => this.#remove(definition) });
  }

  of(group: string): readonly CustomResourceDefinition[] {
    return [...(this.#groups.get(group)?.values() ?? [])];
  }

  #put(definition: CustomResourceDefinition): void {
    const { group } = definition.spec;
    const definitions = this.#groups.get(group) ?? new Map<string, CustomResourceDefinition>();
    definitions.set(definition.metadata.name ?? '', definition);
    this.#groups.set(group, definitions);
  }

  #remove({ spec, metadata }: CustomResourceDefinition): void {
    const definitions = this.#groups.get(spec.group);
    if (definitions?.delete(metadata.name ?? '') && definitions.size === 0) this.#groups.delete(spec.group);
  }
}
