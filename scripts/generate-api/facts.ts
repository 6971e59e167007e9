/** The file of facts, as far as the generator reads it. */
export interface Facts {
  readonly kinds: readonly KindFact[];
  readonly metaKindsInEveryGroupVersion: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, TypeFact>>;
}

export interface KindFact {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Go type: `k8s.io/api/core/v1.ConfigMap`. */
  readonly go: string;
  readonly list?: string;
  readonly isList?: boolean;
  readonly itemKind?: string;
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: string;
  readonly resource?: string;
  readonly namespaced?: boolean;
  readonly clientMethods?: readonly string[];
}

export interface TypeFact {
  readonly k: 'struct' | 'scalar' | 'list';
  readonly customJSON?: boolean;
  readonly proto?: string;
  readonly elem?: TypeRef;
  readonly enum?: readonly string[];
  readonly smdRel?: string;
  readonly smdUnions?: readonly UnionFact[];
  readonly markers?: readonly string[];
  readonly fields?: readonly FieldFact[];
}

interface UnionFact {
  readonly Discriminator: string | null;
  readonly Fields: readonly { readonly FieldName: string; readonly DiscriminatorValue: string }[];
}

export interface TypeRef {
  readonly k: 'scalar' | 'bytes' | 'list' | 'map' | 'ref' | 'any';
  readonly go?: string;
  readonly base?: string;
  readonly ref?: string;
  readonly ptr?: boolean;
  readonly key?: TypeRef;
  readonly elem?: TypeRef;
}

export interface FieldFact {
  readonly go: string;
  readonly json?: string;
  readonly omitempty?: boolean;
  readonly omitzero?: boolean;
  readonly inline?: boolean;
  readonly skip?: boolean;
  readonly t: TypeRef;
  readonly pb?: { readonly n: number };
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly smd?: {
    readonly list?: string;
    readonly keys?: readonly string[];
    readonly map?: string;
    readonly rel?: string;
    readonly default?: unknown;
  };
  readonly markers?: readonly string[];
}

/** A Go type's name cut into package and name. */
export function splitGoName(go: string): { readonly pkg: string; readonly name: string } {
  const dot = go.lastIndexOf('.');
  return { pkg: go.slice(0, dot), name: go.slice(dot + 1) };
}

/** `v1.ConfigMap`: the name as Go's reflection prints it. */
export function shortGoName(go: string): string {
  return go.slice(go.lastIndexOf('/') + 1);
}

/** `io.k8s.api.core.v1.ConfigMap`: the name of the OpenAPI definition. */
export function definitionName(go: string): string {
  const { pkg, name } = splitGoName(go);
  const [host = '', ...path] = pkg.split('/');
  return [...host.split('.').reverse(), ...path, name].join('.');
}

/** The value of a `name=value` marker. */
export function marker(markers: readonly string[] | undefined, name: string): string | undefined {
  const found = markers?.find((text) => text.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
