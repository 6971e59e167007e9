import type { VersionInfo } from '@apiserver/component-base/version';

/** The struct's fields in order. Upstream: k8s.io/apimachinery/pkg/version.Info */
const goFields: readonly (readonly [name: string, key: keyof VersionInfo])[] = [
  ['Major', 'major'],
  ['Minor', 'minor'],
  ['EmulationMajor', 'emulationMajor'],
  ['EmulationMinor', 'emulationMinor'],
  ['MinCompatibilityMajor', 'minCompatibilityMajor'],
  ['MinCompatibilityMinor', 'minCompatibilityMinor'],
  ['GitVersion', 'gitVersion'],
  ['GitCommit', 'gitCommit'],
  ['GitTreeState', 'gitTreeState'],
  ['BuildDate', 'buildDate'],
  ['GoVersion', 'goVersion'],
  ['Compiler', 'compiler'],
  ['Platform', 'platform'],
];

/** `--version`. Upstream: k8s.io/component-base/version/verflag */
export function formatVersion(info: VersionInfo): string {
  return `Kubernetes ${info.gitVersion}\n`;
}

/** `--version=raw`: the struct as Go prints it with %#v. */
export function formatRawVersion(info: VersionInfo): string {
  const fields = goFields.map(([name, key]) => `${name}:${JSON.stringify(info[key])}`);
  return `version.Info{${fields.join(', ')}}\n`;
}
