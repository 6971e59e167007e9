/** The permissions of a policy: everything, all but known escalations, or only hardened pods. */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** The levels, by ascending strictness. */
const POD_SECURITY_LEVELS: readonly PodSecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** The version that always has the newest checks. */
export const LATEST = 'latest';

/** A level, and the Kubernetes version whose checks apply: "latest" or "v1.x". */
export interface LevelVersion {
  readonly level: PodSecurityLevel;
  readonly version: string;
}

/** The problem of a text that is no level. */
export const LEVEL_PROBLEM: string = `must be one of ${POD_SECURITY_LEVELS.join(', ')}`;

/** The problem of a text that is no version. */
export const VERSION_PROBLEM = 'must be "latest" or "v1.x"';

const VERSION = /^v1\.(0|[1-9][0-9]*)$/;
/** Upstream parses the number as an int. */
const MAX_MINOR = 2n ** 63n - 1n;

/** Reports whether a text is a level. */
export function isPodSecurityLevel(text: string): text is PodSecurityLevel {
  return text === 'privileged' || text === 'baseline' || text === 'restricted';
}

/** Reports whether a text is a version of policies, known or not. */
export function isPolicyVersion(text: string): boolean {
  if (text === LATEST) return true;
  const [, minor] = VERSION.exec(text) ?? [];
  return minor !== undefined && BigInt(minor) <= MAX_MINOR;
}

/** The minor number of a version; Infinity for the latest. */
export function minorOf(version: string): number {
  return version === LATEST ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
}

/** "restricted:latest", as in messages. */
export function formatLevelVersion({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

/** Negative if `a` permits more than `b`. */
export function compareLevels(a: PodSecurityLevel, b: PodSecurityLevel): number {
  return POD_SECURITY_LEVELS.indexOf(a) - POD_SECURITY_LEVELS.indexOf(b);
}

/** Reports whether two policies are the same. */
export function equalLevelVersions(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Reports whether two policies permit the same: the version does not matter to level privileged. */
export function areEquivalent(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && (a.level === 'privileged' || a.version === b.version);
}
