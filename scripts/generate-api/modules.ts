import { type Facts, type KindFact, splitGoName } from './facts.ts';

/** One generated file: the types of one Go package, or the kinds of a group version that borrows all its types. */
export interface ApiModule {
  /** `core/v1`: path of the file under the output folder, without extension, and the package's subpath. */
  readonly path: string;
  /** `coreV1`: how other modules import it and the name of its group version. */
  readonly alias: string;
  /** The Go package, as the prefix of type names. */
  readonly pkg: string;
  readonly types: readonly string[];
  readonly kinds: readonly KindFact[];
}

/** Packages whose types the schema model knows by itself. */
const MODELLED = [
  'k8s.io/apimachinery/pkg/api/resource',
  'k8s.io/apimachinery/pkg/runtime',
  'k8s.io/apimachinery/pkg/types',
  'k8s.io/apimachinery/pkg/util/intstr',
];

/** All modules, in order of path. */
export function apiModules(facts: Facts): ApiModule[] {
  const packages = new Map<string, string[]>();
  for (const go of Object.keys(facts.types)) {
    const { pkg, name } = splitGoName(go);
    if (MODELLED.includes(pkg)) continue;
    const names = packages.get(pkg) ?? [];
    names.push(name);
    packages.set(pkg, names);
  }
  return [...packages]
    .map(([pkg, types]) => apiModule(pkg, types.sort(), facts))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function apiModule(pkg: string, types: readonly string[], facts: Facts): ApiModule {
  const [group = '', version = ''] = pkg.split('/').slice(-2);
  const kinds = facts.kinds.filter((kind) => packageOf(kind) === pkg);
  return { path: `${group}/${version}`, alias: aliasOf(`${group}/${version}`), pkg, types, kinds };
}

/**
 * A kind that borrows the struct of another version (`meta.k8s.io/v1beta1` Table) lives in its own version's module.
 */
function packageOf(kind: KindFact): string {
  const { pkg } = splitGoName(kind.go);
  const version = pkg.slice(pkg.lastIndexOf('/') + 1);
  return version === kind.version ? pkg : `${pkg.slice(0, pkg.lastIndexOf('/'))}/${kind.version}`;
}

/** `core/v1` becomes `coreV1`. */
function aliasOf(path: string): string {
  const [group = '', version = ''] = path.split('/');
  return group + version.charAt(0).toUpperCase() + version.slice(1);
}
