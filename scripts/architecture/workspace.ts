import type { Import } from './imports.ts';

/** A row of architecture.json. Examples stand above every ring. */
export interface Placement {
  readonly name: string;
  readonly ring: number;
  /** Relative to the repository. */
  readonly folder: string;
}

/** architecture.json: the table of rings as data. */
interface Architecture {
  readonly scope: string;
  readonly packages: readonly Placement[];
  readonly examples: readonly Placement[];
  /** Only `allowedIn` may open servers with these builtins, and the files of programs that are no API servers. */
  readonly serverModules: {
    readonly modules: readonly string[];
    readonly allowedIn: string;
    readonly otherPrograms?: readonly string[];
  };
  /**
   * Folders of a package whose main entry is a bundle. They import it by name, because a relative path loads a second
   * copy.
   */
  readonly besideBundles?: readonly { readonly folder: string; readonly reason: string }[];
  /** Files that look at the semantics of a kind. They choose the policy or the codec for it. */
  readonly semanticsReaders?: readonly { readonly file: string; readonly reason: string }[];
  /** Packages that must not load `from`, not even by a dependency. */
  readonly keptApart?: readonly {
    readonly from: string;
    readonly packages: readonly string[];
    readonly reason: string;
  }[];
  /** Files that must not load a folder when they are imported. Paths are relative to the repository. */
  readonly lightEntries?: readonly {
    readonly entries: readonly string[];
    readonly without: string;
    readonly reason: string;
  }[];
  /** Variables of modules in rings 0 and 1 that change: `file#name`. */
  readonly moduleState?: readonly { readonly variable: string; readonly reason: string }[];
  /** Pairs of folders that may import each other, with paths in alphabetical order. Keep this empty. */
  readonly mutualFolders?: readonly { readonly folders: readonly [string, string]; readonly reason: string }[];
}

/** Fields of a package.json that the rules read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly engines?: { readonly node?: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface SourceFile {
  /** Relative to the package's folder, with forward slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** See `readsSemantics`. Absent: no. */
  readonly readsSemantics?: boolean;
  /** See `moduleStateOf`. Absent: none. */
  readonly moduleState?: readonly string[];
}

/** A package as it lies on the disk. */
export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Folders of the project references, relative to the repository. */
  readonly references: readonly string[];
  readonly files: readonly SourceFile[];
  /** The text of README.md. Absent: there is none. */
  readonly readme?: string;
}

export interface Workspace {
  readonly architecture: Architecture;
  /** The one version that all packages carry. */
  readonly version: string;
  readonly packages: readonly Package[];
  /** Folders that the root tsconfig.json references. */
  readonly rootReferences: readonly string[];
  /** Packages that any test may import, because the root installs them. */
  readonly rootDevDependencies: readonly string[];
  /** Programs outside the packages: paths of `scripts/` and `test/`. Absent: none. */
  readonly programs?: readonly string[];
}
