import { StartupError } from '@apiserver/component-base/process';
import { API_LEVEL, binaryVersion, type EffectiveVersion, versionInfo } from '@apiserver/component-base/version';
import { buildInfo } from '../build-info.js';
import { parseGenericVersion } from './semantic-version.js';

/** The component whose version this server has. */
export const COMPONENT = 'kube';

/** A release, such as 1.36. */
interface Release {
  readonly major: number;
  readonly minor: number;
}

const { minor: MINOR } = API_LEVEL;
/** The oldest release that can be named. Upstream: kubeEffectiveVersionFloors of k8s.io/apiserver/pkg/util/compatibility */
const FLOOR: Release = { major: 1, minor: MINOR - 3 };
/** The oldest releases whose behaviour is built. */
const OLDEST = { emulated: MINOR - 1, minCompatibility: MINOR - 2 };

/** The values of the two flags. */
export interface VersionFlags {
  /** `--emulated-version` */
  emulated: readonly string[];
  /** `--min-compatibility-version` */
  minCompatibility: readonly string[];
}

/** The releases of a server without these flags. */
export const DEFAULT_EFFECTIVE_VERSION: EffectiveVersion = { emulationMinor: MINOR, minCompatibilityMinor: MINOR - 1 };

/**
 * Reads the flags. Throws a StartupError for values that are no versions; the faults are those of versions that cannot be
 * emulated.
 * Upstream: k8s.io/component-base/compatibility
 */
export function readEffectiveVersion(flags: VersionFlags): {
  readonly effective: EffectiveVersion;
  readonly faults: readonly string[];
} {
  const emulated = releaseIn(flags.emulated) ?? { major: 1, minor: MINOR };
  const before = { ...emulated, minor: Math.max(emulated.minor - 1, 0) };
  const minCompatibility = releaseIn(flags.minCompatibility) ?? (compare(before, FLOOR) < 0 ? FLOOR : before);
  const faults = rangeFaults(emulated, minCompatibility);
  return {
    effective: { emulationMinor: emulated.minor, minCompatibilityMinor: minCompatibility.minor },
    faults: faults.length > 0 ? faults : unbuilt(emulated, minCompatibility),
  };
}

function rangeFaults(emulated: Release, minCompatibility: Release): readonly string[] {
  const faults: string[] = [];
  if (!isBetween(emulated, FLOOR, { major: 1, minor: MINOR })) {
    const binary = binaryVersion(versionInfo(buildInfo()));
    faults.push(`emulation version ${show(emulated)} is not between [${show(FLOOR)}, ${binary}]`);
  }
  if (!isBetween(minCompatibility, FLOOR, emulated)) {
    const range = `[${show(FLOOR)}, ${show(emulated)}]`;
    faults.push(`minCompatibilityVersion version ${show(minCompatibility)} is not between ${range}`);
  }
  return faults;
}

/** Upstream emulates the last three releases, and is compatible with them. */
function unbuilt(emulated: Release, minCompatibility: Release): readonly string[] {
  const fault = (flag: string, release: Release, oldest: number) =>
    `--${flag}: ${show(release)} is not built; the oldest release is 1.${oldest}`;
  if (emulated.minor < OLDEST.emulated) return [fault('emulated-version', emulated, OLDEST.emulated)];
  if (minCompatibility.minor >= OLDEST.minCompatibility) return [];
  return [fault('min-compatibility-version', minCompatibility, OLDEST.minCompatibility)];
}

/** The release of this component; undefined if no entry names one. Throws a StartupError for a wrong entry. */
function releaseIn(entries: readonly string[]): Release | undefined {
  const releases = new Map<string, Release>();
  for (const entry of entries) {
    const at = entry.indexOf('=');
    const component = at < 0 ? COMPONENT : entry.slice(0, at).trim();
    const text = at < 0 ? entry : entry.slice(at + 1).trim();
    const { major, minor, patch } = parseGenericVersion(text);
    const shown = `${component}=${text.replace(/^\s*v?/, '')}`;
    if (patch !== 0) throw new StartupError(`patch version not allowed, got: ${shown}`);
    const known = releases.get(component);
    if (known !== undefined) throw new StartupError(`duplicate version flag, ${component}=${show(known)} and ${shown}`);
    releases.set(component, { major, minor });
  }
  const unknown = [...releases.keys()].find((component) => component !== COMPONENT);
  if (unknown !== undefined) throw new StartupError(`component not registered: ${unknown}`);
  return releases.get(COMPONENT);
}

function isBetween(release: Release, lowest: Release, highest: Release): boolean {
  return compare(release, lowest) >= 0 && compare(release, highest) <= 0;
}

function compare(a: Release, b: Release): number {
  return a.major - b.major || a.minor - b.minor;
}

function show({ major, minor }: Release): string {
  return `${major}.${minor}`;
}
