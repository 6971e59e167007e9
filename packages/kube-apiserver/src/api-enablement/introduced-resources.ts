import { formatGroupVersion } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, APIGroupInfo } from '@apiserver/apiserver-contracts';
import { StartupError } from '@apiserver/component-base/process';
import { compareKubeAwareVersions } from '@apiserver/endpoints-installer';
import type { ResourceConfig } from './resource-config.js';

/** APIs that a server serves beyond the release that it emulates. */
export interface ForwardCompatibility {
  /** Later versions of resources that are served. Upstream flag: --emulation-forward-compatible */
  emulation: boolean;
  /** APIs that `--runtime-config` names. Upstream flag: --runtime-config-emulation-forward-compatible */
  runtimeConfig: boolean;
}

/** The release that a server emulates. */
export interface Emulation {
  /** Its minor number. */
  readonly minor: number;
  readonly forward: ForwardCompatibility;
}

const ALPHA = /^v\d+alpha\d+$/;

/**
 * The enabled resources of a group that the emulated release has. Throws a StartupError if `--runtime-config` names one
 * that it lacks.
 * Upstream: removeUnintroducedKinds of k8s.io/apiserver/pkg/server/deleted_kinds.go
 */
export function introducedResources(
  { group, versions, resources }: APIGroupInfo,
  config: ResourceConfig,
  emulation: Emulation,
): ResourceConfig {
  const served = new Set<string>();
  const inLowerVersions = new Set<string>();
  for (const version of [...versions].sort((a, b) => compareKubeAwareVersions(b, a))) {
    const enabled = resources
      .filter(({ definition }) => definition.versions.some((one) => one.version === version))
      .map(({ definition }) => definition)
      .filter(
        ({ resource }) =>
          config.isEnabled({ group, version, resource }) ||
          (emulation.forward.emulation && !ALPHA.test(version) && inLowerVersions.has(resource)),
      );
    const names = enabled
      .filter((definition) => isServed(definition, version, { config, emulation, inLowerVersions }))
      .map(({ resource }) => resource);
    // A version whose gates are off has no resources, which no flag would bring.
    if (enabled.length > 0 && names.length === 0) refuseVersion({ group, version }, config, emulation);
    for (const resource of names) {
      served.add(`${version}/${resource}`);
      if (!ALPHA.test(version)) inLowerVersions.add(resource);
    }
  }
  return {
    ...config,
    isEnabled: (one) => (one.group === group ? served.has(`${one.version}/${one.resource}`) : config.isEnabled(one)),
  };
}

interface Choice {
  readonly config: ResourceConfig;
  readonly emulation: Emulation;
  /** Resources that a lower version serves, except for alpha versions. */
  readonly inLowerVersions: ReadonlySet<string>;
}

function isServed(
  { group, resource, versions }: AnyResourceDefinition,
  version: string,
  { config, emulation: { minor, forward }, inLowerVersions }: Choice,
): boolean {
  const introduced = versions.find((one) => one.version === version)?.schema.lifecycle?.introduced ?? '1.0';
  if (Number(introduced.split('.')[1]) <= minor) return true;
  if (forward.emulation && inLowerVersions.has(resource)) return true;
  const isNamed = config.isNamed({ group, version, resource });
  if (forward.runtimeConfig && (isNamed || config.isNamed({ group, version }))) return true;
  if (!isNamed) return false;
  const what = `resource ${group}/${version}, Resource=${resource}`;
  throw unavailable(what, `it is introduced at ${introduced} after`, minor);
}

function refuseVersion(
  groupVersion: { readonly group: string; readonly version: string },
  config: ResourceConfig,
  { minor }: Emulation,
): void {
  if (!config.isNamed(groupVersion)) return;
  const what = `version ${formatGroupVersion(groupVersion)}`;
  throw unavailable(what, 'all the resources have been introduced after', minor);
}

function unavailable(what: string, reason: string, minor: number): StartupError {
  const advice = 'Consider setting --runtime-config-emulation-forward-compatible=true';
  return new StartupError(
    `cannot enable ${what} in runtime-config because ${reason} the current version 1.${minor}. ${advice}`,
  );
}
