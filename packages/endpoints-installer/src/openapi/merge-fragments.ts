import type { GroupVersion, GroupVersionKind } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { FragmentV2 } from './fragment-v2.js';
import { kindsOfDefinitions, withKinds } from './known-kinds.js';
import type { SpecTexts } from './remote/merge-remote-spec.js';
import type { RemotePart } from './remote/remote-spec.js';

/** A fragment of the document of version 2. */
export interface ServedFragment {
  readonly fragment: FragmentV2;
  /** The kinds that it serves, by definition. */
  readonly kinds: ReadonlyMap<string, GroupVersionKind>;
  /** False if a client determines the names of its definitions. */
  readonly isInScheme: boolean;
}

/**
 * The parts of all fragments. Their texts are kept, so that only those of a changed group version are written again.
 * Definitions in the scheme keep their names; a custom kind with the name of one gets another name.
 *
 * Upstream: MergeSpecs of k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/merge.go
 */
export async function mergeFragments(
  fragments: readonly ServedFragment[],
  everyGroupVersion: readonly GroupVersion[],
): Promise<SpecTexts> {
  const inScheme = new Set(
    fragments.flatMap(({ isInScheme, fragment }) => (isInScheme ? [...fragment.definitions.keys()] : [])),
  );
  const collides = ({ isInScheme, kinds }: ServedFragment): boolean =>
    !isInScheme && [...kinds.keys()].some((name) => inScheme.has(name));
  const parts = await partsOf(
    fragments.filter((one) => !collides(one)),
    everyGroupVersion,
  );
  const slice = new TimeSlice();
  for (const one of fragments.filter(collides)) {
    await mergeColliding(parts, await partsOf([one], everyGroupVersion), slice);
  }
  return parts;
}

/** The parts of fragments without collisions. */
async function partsOf(
  fragments: readonly ServedFragment[],
  everyGroupVersion: readonly GroupVersion[],
): Promise<SpecTexts> {
  const definitions = new Map(fragments.flatMap(({ fragment }) => [...fragment.definitions]));
  const served = new Map(fragments.flatMap(({ kinds }) => [...kinds]));
  const kindsOf = await kindsOfDefinitions(definitions.keys(), served, everyGroupVersion);
  for (const [name, text] of definitions) definitions.set(name, withKinds(text, kindsOf.get(name)));
  return {
    paths: new Map(fragments.flatMap(({ fragment }) => fragment.paths)),
    definitions,
    parameters: new Map(fragments.flatMap(({ fragment }) => [...fragment.parameters])),
  };
}

/** Adds parts as those of another server's document. */
async function mergeColliding(
  into: SpecTexts,
  { paths, definitions, parameters }: SpecTexts,
  slice: TimeSlice,
): Promise<void> {
  const { mergeRemoteSpec } = await import('./remote/merge-remote-spec.js');
  const spec = { paths: withRefs(paths), definitions: withRefs(definitions), parameters: withRefs(parameters) };
  await mergeRemoteSpec(into, spec, slice);
}

function withRefs(texts: ReadonlyMap<string, string>): ReadonlyMap<string, RemotePart> {
  return new Map([...texts].map(([name, text]) => [name, { text, refs: refsIn(text) }]));
}

/** The references in a text. Names of definitions and parameters need no escapes. */
function refsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference));
}
