import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { messageOf } from '@apiserver/apimachinery/errors';

const KIND = 'AdmissionConfiguration';
const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'];
const ENTRY_FIELDS = ['name', 'path', 'configuration'];

/** Configurations of single plugins, by name. */
export type AdmissionConfigurations = ReadonlyMap<string, unknown>;

/**
 * Reads the file that configures admission plugins, and the files it names, with relative paths. Throws an Error for an
 * unreadable or invalid file.
 * Upstream: ReadAdmissionConfiguration of k8s.io/apiserver/pkg/admission/config.go
 */
export function readAdmissionConfiguration(file: string): AdmissionConfigurations {
  if (file === '') return new Map();
  const read = reader(dirname(file));
  const found = new Map<string, unknown>();
  for (const { name, path, configuration } of pluginsOf(read(file))) {
    if (path !== '') found.set(name, read(path));
    else if (configuration !== undefined) found.set(name, configuration);
  }
  return found;
}

interface PluginEntry {
  readonly name: string;
  /** "" if the configuration is in the entry itself. */
  readonly path: string;
  readonly configuration: unknown;
}

function reader(directory: string): (path: string) => unknown {
  return (path) => {
    const file = isAbsolute(path) || path.startsWith(directory) ? path : join(directory, path);
    try {
      return parseYaml(readFileSync(file));
    } catch (error) {
      const reason = messageOf(error);
      throw new Error(`unable to read admission control configuration from "${file}" [${reason}]`, { cause: error });
    }
  };
}

function pluginsOf(document: unknown): PluginEntry[] {
  const { apiVersion, kind, plugins = [], ...unknown } = objectOf(document, KIND);
  if (kind !== KIND || typeof apiVersion !== 'string' || !VERSIONS.includes(apiVersion)) {
    throw new Error(`expected kind ${KIND} of ${VERSIONS.join(' or ')}, got ${String(kind)} of ${String(apiVersion)}`);
  }
  refuseUnknown(unknown, '');
  if (!Array.isArray(plugins)) throw new Error('plugins must be a list');
  return plugins.map((entry, i) => pluginEntry(objectOf(entry, `plugins[${i}]`), `plugins[${i}]`));
}

function pluginEntry(entry: Readonly<Record<string, unknown>>, where: string): PluginEntry {
  const { name = '', path = '', configuration } = entry;
  refuseUnknown(Object.fromEntries(Object.entries(entry).filter(([key]) => !ENTRY_FIELDS.includes(key))), `${where}.`);
  if (typeof name !== 'string' || typeof path !== 'string') throw new Error(`${where}: name and path must be texts`);
  return { name, path, configuration: configuration ?? undefined };
}

function refuseUnknown(fields: Readonly<Record<string, unknown>>, where: string): void {
  const [first] = Object.keys(fields);
  if (first !== undefined) throw new Error(`strict decoding error: unknown field "${where}${first}"`);
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  return value as Readonly<Record<string, unknown>>;
}
