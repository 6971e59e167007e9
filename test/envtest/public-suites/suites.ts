import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One package's tests, with their known failures. Names of tests are parts of names. */
export interface Suite {
  /** In the module; "." is its root. */
  readonly path: string;
  /** The reason why it is not run at all. */
  readonly skip: string | undefined;
  /** The reason why a test fails. */
  readonly fails: Readonly<Record<string, string>>;
  /** The reason why a test fails now and then. */
  readonly sometimes: Readonly<Record<string, string>>;
}

/** A Go module whose own tests are run. */
export interface SuiteModule {
  readonly module: string;
  readonly version: string;
  /** Where it is copied to, in the workspace. A module may be listed in several versions. */
  readonly folder: string;
  /** Files of the copy that ours of testdata/ replace, by path in the module. */
  readonly replace: Readonly<Record<string, string>>;
  /** Modules of the same version that belong into folders of the copy, by folder: `replace` directives name these. */
  readonly nested: Readonly<Record<string, string>>;
  /** It is compiled with the client libraries of its own go.mod, not with those of the workspace. */
  readonly ownLibraries: boolean;
  /** Its tests look for an etcd at KUBE_INTEGRATION_ETCD_URL. */
  readonly needsEtcd: boolean;
  readonly suites: readonly Suite[];
}

interface ModuleEntry {
  readonly module: string;
  readonly version: string;
  readonly replace?: Readonly<Record<string, string>>;
  readonly nested?: Readonly<Record<string, string>>;
  readonly ownLibraries?: boolean;
  readonly needsEtcd?: boolean;
  readonly packages: Readonly<Record<string, Partial<Suite>>>;
}

/** The modules of suites.json. */
export function readSuites(): readonly SuiteModule[] {
  const { modules } = JSON.parse(readFileSync(join(import.meta.dirname, 'suites.json'), 'utf8')) as {
    readonly modules: readonly ModuleEntry[];
  };
  return modules.map(({ packages, ...module }) => ({
    replace: {},
    nested: {},
    ownLibraries: false,
    needsEtcd: false,
    ...module,
    folder: `${module.module.replaceAll('/', '-')}-${module.version}`,
    suites: Object.entries(packages).map(([path, { skip, fails = {}, sometimes = {} }]) => ({
      path,
      skip,
      fails,
      sometimes,
    })),
  }));
}
