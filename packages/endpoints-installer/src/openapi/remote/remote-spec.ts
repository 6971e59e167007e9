import type { TimeSlice } from '@apiserver/apimachinery/clock';

/** A path, definition or parameter of a server's document. */
export interface RemotePart {
  /** Its JSON, with sorted names and with empty lists. */
  readonly text: string;
  /** The references in it, such as `#/definitions/NAME`. */
  readonly refs: ReadonlySet<string>;
}

/** The paths of one group version in the document of a server, and what they need. */
export interface RemoteSpec {
  readonly paths: ReadonlyMap<string, RemotePart>;
  readonly definitions: ReadonlyMap<string, RemotePart>;
  readonly parameters: ReadonlyMap<string, RemotePart>;
}

export const DEFINITION_PREFIX = '#/definitions/';
export const PARAMETER_PREFIX = '#/parameters/';

/**
 * The part of a document with some of its paths. Definitions that only the others use are left out; those that no path
 * uses stay, and so do all parameters. Upstream: FilterSpecByPathsWithoutSideEffects of
 * k8s.io/kube-openapi/pkg/aggregator
 */
export async function filteredSpec(
  spec: RemoteSpec,
  keeps: (path: string) => boolean,
  slice: TimeSlice,
): Promise<RemoteSpec> {
  const paths = new Map([...spec.paths].filter(([path]) => keeps(path)));
  const before = await usedRefs(spec, spec.paths, slice);
  const after = await usedRefs(spec, paths, slice);
  const stays = (name: string): boolean => {
    const reference = DEFINITION_PREFIX + name;
    return after.has(reference) || !before.has(reference);
  };
  const definitions = new Map([...spec.definitions].filter(([name]) => stays(name)));
  return { paths, definitions, parameters: spec.parameters };
}

/** All references in paths, and in what they refer to. */
async function usedRefs(spec: RemoteSpec, paths: RemoteSpec['paths'], slice: TimeSlice): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const { refs } of paths.values()) {
    for (const reference of refs) used.add(reference);
    if (slice.over) await slice.yield();
  }
  // A set gives elements that are added meanwhile.
  for (const reference of used) {
    for (const inner of partOf(spec, reference)?.refs ?? []) used.add(inner);
    if (slice.over) await slice.yield();
  }
  return used;
}

function partOf({ definitions, parameters }: RemoteSpec, reference: string): RemotePart | undefined {
  if (reference.startsWith(DEFINITION_PREFIX)) return definitions.get(reference.slice(DEFINITION_PREFIX.length));
  if (reference.startsWith(PARAMETER_PREFIX)) return parameters.get(reference.slice(PARAMETER_PREFIX.length));
  return undefined;
}
