import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { list, OMIT_EMPTY, POINTER, STRING, struct, UNKNOWN } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import {
  ConfigurationError,
  type ConfigurationScheme,
  configurationKinds,
  decodeConfiguration,
  UnknownConfigurationKindError,
} from '@apiserver/component-base/configuration';

/** Configurations of single plugins, by name. */
export type AdmissionConfigurations = ReadonlyMap<string, unknown>;

/** Plugins that may be configured by the file itself. Upstream: legacyPluginsWithUnversionedConfig */
const LEGACY_FIELDS: ReadonlyMap<string, string> = new Map([
  ['ImagePolicyWebhook', 'imagePolicy'],
  ['PodNodeSelector', 'podNodeSelectorPluginConfig'],
]);

/**
 * Reads the file that configures admission plugins, and the files it names, with relative paths. Throws an Error for an
 * unreadable or invalid file.
 * Upstream: ReadAdmissionConfiguration and ConfigFor of k8s.io/apiserver/pkg/admission/config.go
 */
export function readAdmissionConfiguration(file: string): AdmissionConfigurations {
  if (file === '') return new Map();
  const bytes = contentOf(file);
  const found = new Map<string, unknown>();
  for (const { name, path, configuration } of pluginsOf(bytes)) {
    if (found.has(name)) continue;
    const value = configuration ?? (path ? pluginFile(absolute(path, dirname(file))) : undefined);
    found.set(name, value);
  }
  return found;
}

interface AdmissionConfiguration {
  readonly plugins: readonly PluginEntry[] | null;
}

interface PluginEntry {
  readonly name: string;
  /** Absent or "" if there is none. Counts only without a configuration. */
  readonly path?: string;
  readonly configuration?: unknown;
}

function pluginsOf(bytes: Uint8Array): readonly PluginEntry[] {
  try {
    return decodeConfiguration<AdmissionConfiguration>(bytes, admissionScheme()).object.plugins ?? [];
  } catch (error) {
    const legacy = error instanceof UnknownConfigurationKindError ? legacyPlugins(bytes) : [];
    if (legacy.length === 0) throw error;
    return legacy;
  }
}

/** The configuration of both plugins in a file without a kind. JSON has escapes that YAML refuses. */
function legacyPlugins(bytes: Uint8Array): readonly PluginEntry[] {
  const configuration = yamlOf(bytes);
  const fields = isMembers(configuration) ? Object.keys(configuration) : [];
  const isLegacy = [...LEGACY_FIELDS.values()].some((field) => fields.includes(field));
  return isLegacy ? [...LEGACY_FIELDS.keys()].map((name) => ({ name, configuration })) : [];
}

function yamlOf(bytes: Uint8Array): unknown {
  try {
    return parseYaml(bytes);
  } catch {
    return undefined;
  }
}

function admissionScheme(): ConfigurationScheme {
  const plugin = struct('apiserver.v1.AdmissionPluginConfiguration', 'v1.AdmissionPluginConfiguration', () => [
    ['name', 0, STRING],
    ['path', 0, STRING],
    ['configuration', 0, UNKNOWN, POINTER],
  ]);
  const schema = struct('apiserver.v1.AdmissionConfiguration', 'v1.AdmissionConfiguration', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['plugins', 0, list(plugin, 'atomic')],
  ]);
  const kind = 'AdmissionConfiguration';
  return {
    kinds: configurationKinds(schema, [
      ['apiserver.config.k8s.io', 'v1', kind],
      ['apiserver.k8s.io', 'v1alpha1', kind],
    ]),
    name: 'pkg/server/options/admission.go:51',
  };
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = goFileError('open', file, errorOf(error));
    throw new ConfigurationError(`unable to read admission control configuration from ${quote(file)} [${reason}]`, {
      cause: error,
    });
  }
}

function pluginFile(path: string): unknown {
  try {
    return parseYaml(readFileSync(path));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? goFileError('open', path, error) : messageOf(error);
    throw new ConfigurationError(`Couldn't open admission plugin configuration ${path}: ${reason}`, { cause: error });
  }
}

function absolute(path: string, directory: string): string {
  if (isAbsolute(path)) return path;
  return directory === '.' ? resolve(path) : join(directory, path);
}
