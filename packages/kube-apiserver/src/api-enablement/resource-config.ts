import { formatGroupVersion, type GroupVersion, type GroupVersionResource } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import { ParseError, parseBool } from '@apiserver/apimachinery/text';

/** The entries of `--runtime-config`, in order: `batch/v1` → `false`. */
export type RuntimeConfig = ReadonlyMap<string, string>;

/** The enabled built-in resources. */
export interface ResourceConfig {
  isEnabled(resource: GroupVersionResource): boolean;
  /** Reports whether `--runtime-config` names a resource, or a version, in order to enable it. */
  isNamed(resource: GroupVersion & { readonly resource?: string }): boolean;
}

/**
 * The versions that can be configured, and those that exist. Older versions such as extensions/v1beta1 can be enabled
 * without an effect, as upstream, whose scheme still has them.
 */
export interface KnownVersions {
  /** Every group version of the API, served or not. */
  readonly registered: readonly GroupVersion[];
  /** The versions with resources in this server. */
  readonly built: readonly GroupVersion[];
}

const GA = /^v\d+$/;
const BETA = /^v\d+beta\d+$/;
const ALPHA = /^v\d+alpha\d+$/;
const OLD_KEYS = /^(?:(?:api\/)?v1(?:\/.*)?|api\/legacy)$/s;

/** Keys for many versions at once, in the order in which they apply. */
const MATCHERS: readonly (readonly [key: string, matches: (version: string) => boolean])[] = [
  ['api/all', () => true],
  ['api/ga', (version) => GA.test(version)],
  ['api/beta', (version) => BETA.test(version)],
  ['api/alpha', (version) => ALPHA.test(version)],
];

/**
 * Replaces old keys by current ones. Older releases named the core group `v1`, `api/v1` or by its resources; each of
 * these keys now means the whole group. `api/legacy` has no effect.
 * Upstream: Complete of k8s.io/kubernetes/pkg/controlplane/apiserver/options/options.go
 */
export function completeRuntimeConfig(config: RuntimeConfig): RuntimeConfig {
  const completed = new Map(config);
  for (const [key, value] of config) {
    if (!OLD_KEYS.test(key)) continue;
    completed.delete(key);
    if (key !== 'api/legacy') completed.set('/v1', value);
  }
  return completed;
}

/**
 * Validates the keys, but not their values.
 * Upstream: APIEnablementOptions.Validate of k8s.io/apiserver/pkg/server/options/api_enablement.go
 */
export function validateRuntimeConfig(config: RuntimeConfig, { registered }: KnownVersions): readonly string[] {
  if (config.size === 1 && config.get('api/all') === 'false') return ['invalid runtime-config with only api/all=false'];
  const keys = [...config.keys()].filter((key) => !isMatcher(key));
  const invalid = keys.find((key) => !/^[^/]*(\/[^/]*){1,2}$/.test(key));
  if (invalid !== undefined) return [`runtime-config invalid key ${invalid}`];
  const named = keys.map((key) => key.split('/', 2)).map(([group = '', version = '']) => ({ group, version }));
  const unknown = named.filter(({ group }) => !registered.some((one) => one.group === group)).map(formatGroupVersion);
  return unknown.length === 0 ? [] : [`unknown api groups ${[...new Set(unknown)].sort().join(',')}`];
}

/**
 * Stable versions are enabled by default. Entries for a resource override those for its version, and those override
 * api/alpha, api/beta, api/ga and api/all. Throws a ParseError for an impossible entry.
 * Upstream: k8s.io/apiserver/pkg/server/resourceconfig/helpers.go
 */
export function resourceConfig(config: RuntimeConfig, known: KnownVersions): ResourceConfig {
  const versions = versionsByMatchers(config, known);
  const resources = new Map<string, boolean>();
  const named = new Set<string>();
  for (const [key, value] of config) {
    if (isMatcher(key)) continue;
    const [group = '', version = '', resource] = key.split('/');
    const enabled = explicitValue(key, value, { group, version }, known);
    if (enabled) named.add(key);
    if (resource === undefined) versions.set(`${group}/${version}`, enabled);
    else if (resource === resource.toLowerCase()) resources.set(key, enabled);
    else {
      const rule = 'group/version/resource and resource is always lowercase plural';
      throw new ParseError(`invalid key ${key}: ${rule}, not "${resource}"`);
    }
  }
  return {
    isEnabled: ({ group, version, resource }) =>
      resources.get(`${group}/${version}/${resource}`) ?? versions.get(formatGroupVersion({ group, version })) ?? false,
    isNamed: ({ group, version, resource }) => named.has([group, version, ...(resource ? [resource] : [])].join('/')),
  };
}

/** The versions that keys such as `api/beta` enable, beside the stable ones. */
function versionsByMatchers(config: RuntimeConfig, { built }: KnownVersions): Map<string, boolean> {
  const versions = new Map(built.map((one) => [formatGroupVersion(one), GA.test(one.version)]));
  for (const [key, matches] of MATCHERS) {
    const value = config.get(key);
    if (value === undefined) continue;
    if (value !== 'true' && value !== 'false') throw new ParseError(`invalid value ${key}=${value}`);
    for (const one of built) if (matches(one.version)) versions.set(formatGroupVersion(one), value === 'true');
  }
  return versions;
}

function isMatcher(key: string): boolean {
  return MATCHERS.some(([matcher]) => matcher === key);
}

function explicitValue(key: string, value: string, groupVersion: GroupVersion, known: KnownVersions): boolean {
  if (!isAmong(known.registered, groupVersion)) {
    throw new ParseError(`group version ${formatGroupVersion(groupVersion)} that has not been registered`);
  }
  return parseValue(key, value);
}

/** A key alone means true. */
function parseValue(key: string, value: string): boolean {
  try {
    return value === '' || parseBool(value);
  } catch (error) {
    throw new ParseError(`invalid value of ${key}: ${value}, err: ${messageOf(error)}`);
  }
}

function isAmong(list: readonly GroupVersion[], { group, version }: GroupVersion): boolean {
  return list.some((one) => one.group === group && one.version === version);
}
