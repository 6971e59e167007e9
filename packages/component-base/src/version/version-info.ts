/**
 * The response of /version; keys in the order in which they are written.
 * Upstream: k8s.io/apimachinery/pkg/version.Info
 */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  /** "v1.36.0", and build metadata behind a "+". Clients compare it as a semantic version. */
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  /** RFC 3339, UTC. */
  readonly buildDate: string;
  /** The runtime; the key is upstream's. */
  readonly goVersion: string;
  readonly compiler: string;
  /** "linux/amd64" */
  readonly platform: string;
}

/** The version facts of a build. */
export interface BuildInfo {
  /** Of the npm packages: "0.1.0". */
  readonly packageVersion: string;
  readonly commit?: string;
  /** "clean": a working tree without uncommitted changes; "archive": no working tree. Upstream: hack/lib/version.sh */
  readonly treeState?: 'clean' | 'dirty' | 'archive';
  /** RFC 3339. */
  readonly date?: string;
}

/** The level of the Kubernetes API that is served. */
export const API_LEVEL = { major: 1, minor: 36, patch: 0 } as const;

/** The release that a server emulates, and the oldest one with which it is compatible, by their minor numbers. */
export interface EffectiveVersion {
  readonly emulationMinor: number;
  readonly minCompatibilityMinor: number;
}

/** The same version with these releases. Upstream: Info of k8s.io/component-base/compatibility/version.go */
export function emulatingVersion(version: VersionInfo, effective: EffectiveVersion): VersionInfo {
  return {
    ...version,
    emulationMinor: String(effective.emulationMinor),
    minCompatibilityMinor: String(effective.minCompatibilityMinor),
  };
}

/** The version of the program with its build: "1.36.0+apiserver.0.1.0". Upstream: BinaryVersion of EffectiveVersion */
export function binaryVersion({ gitVersion }: Pick<VersionInfo, 'gitVersion'>): string {
  return gitVersion.replace(/^v/, '');
}

/** The version of a server at this API level. */
export function versionInfo(build: BuildInfo): VersionInfo {
  const { packageVersion, commit = '', treeState = '', date = '1970-01-01T00:00:00Z' } = build;
  const [major, minor] = [String(API_LEVEL.major), String(API_LEVEL.minor)];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(API_LEVEL.minor - 1),
    gitVersion: `v${major}.${minor}.${API_LEVEL.patch}+apiserver.${packageVersion}`,
    gitCommit: commit,
    gitTreeState: treeState,
    buildDate: date,
    goVersion: `node${process.versions.node}`,
    // Clients print it; some compare it with the value of upstream's servers.
    compiler: 'gc',
    platform: `${platforms[process.platform] ?? process.platform}/${architectures[process.arch] ?? process.arch}`,
  };
}

const platforms: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
