import { groupVersions } from '@apiserver/api';
import { builtinGroupVersions } from '@apiserver/builtin-resources';
import type { FlagSet, FlagValue } from '@apiserver/component-base/flags';
import {
  completeRuntimeConfig,
  type KnownVersions,
  type ResourceConfig,
  resourceConfig,
  validateRuntimeConfig,
} from '../api-enablement/resource-config.js';

/** Groups that another server of the chain or other code serves. */
const ELSEWHERE = ['authentication.k8s.io', 'authorization.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io'];

/** The enabled API versions and resources. Upstream: k8s.io/apiserver/pkg/server/options.APIEnablementOptions */
export class ApiEnablementOptions {
  /** `--runtime-config` */
  readonly runtimeConfig = new Map<string, string>();

  addFlags(flags: FlagSet): void {
    flags.add(
      'runtime-config',
      new RuntimeConfigFlag(this.runtimeConfig),
      'Comma-separated key=true|false pairs that enable or disable APIs. Keys: api/all, api/ga, api/beta or api/alpha for versions of that stability; v1 for the core group; <group>/<version>; <group>/<version>/<resource>.',
    );
  }

  validate(): readonly Error[] {
    if (this.runtimeConfig.size === 0) return [];
    return validateRuntimeConfig(completeRuntimeConfig(this.runtimeConfig), knownVersions()).map(
      (message) => new Error(message),
    );
  }

  /** Throws an Error for invalid values. */
  toResourceConfig(): ResourceConfig {
    const config = completeRuntimeConfig(this.runtimeConfig);
    const made = resourceConfig(config, knownVersions());
    if (!made.isEnabled({ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' })) {
      throw new Error('API group/version apiregistration.k8s.io/v1 must be enabled');
    }
    return made;
  }
}

function knownVersions(): KnownVersions {
  return {
    registered: groupVersions,
    built: [
      ...builtinGroupVersions.flatMap(({ group, versions }) => versions.map((version) => ({ group, version }))),
      ...ELSEWHERE.map((group) => ({ group, version: 'v1' })),
    ],
  };
}

/** Upstream: k8s.io/component-base/cli/flag.ConfigurationMap */
class RuntimeConfigFlag implements FlagValue {
  readonly typeName = 'mapStringString';
  readonly isBoolean = false;
  readonly defaultText = undefined;
  readonly #values: Map<string, string>;

  constructor(values: Map<string, string>) {
    this.#values = values;
  }

  set(text: string): void {
    for (const pair of text.split(',').filter((one) => one !== '')) {
      const at = pair.indexOf('=');
      const [key, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      this.#values.set(key.trim(), value.trim());
    }
  }

  toString(): string {
    return [...this.#values]
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',');
  }
}
