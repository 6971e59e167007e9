import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { isMembers } from '@apiserver/apimachinery/json';

/** A definition of a published module, and objects of its kind by their versions. */
export interface Published {
  readonly definition: CustomResourceDefinition;
  readonly samples: ReadonlyMap<string, readonly KubeObject[]>;
}

const MAX_FILE_BYTES = 3_000_000;
const MAX_SAMPLE_BYTES = 30_000;
const MAX_SAMPLES = 50;
const SEPARATOR = /^---[ \t]*(?:#.*)?\r?$/m;

/** The definitions in the YAML files of a folder and of those in it. Of several with a name, the last counts. */
export function readPublished(folder: string): readonly Published[] {
  const definitions = new Map<string, CustomResourceDefinition>();
  const samples = new Map<string, Map<string, KubeObject>>();
  for (const object of objectsIn(folder)) {
    if (isDefinition(object)) definitions.set(object.metadata.name ?? '', withoutConversion(object));
    else if (object.apiVersion.includes('.')) addSample(samples, object);
  }
  return [...definitions.values()].map((definition) => {
    const { group, names, versions } = definition.spec;
    const samplesOf = (version: string) => [...(samples.get(`${group}/${version} ${names.kind}`)?.values() ?? [])];
    return { definition, samples: new Map((versions ?? []).map(({ name }) => [name, samplesOf(name)])) };
  });
}

function addSample(samples: Map<string, Map<string, KubeObject>>, object: KubeObject): void {
  const key = `${object.apiVersion} ${object.kind}`;
  const found = samples.get(key) ?? new Map<string, KubeObject>();
  samples.set(key, found);
  const text = JSON.stringify(object);
  if (found.size < MAX_SAMPLES && text.length < MAX_SAMPLE_BYTES) found.set(text, object);
}

function* objectsIn(folder: string): Generator<KubeObject> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.sort()) {
    if (!/\.ya?ml$/.test(file)) continue;
    const text = readFileSync(file, 'utf8');
    // Templates of charts are no YAML.
    if (text.length > MAX_FILE_BYTES || text.includes('{{')) continue;
    for (const document of text.split(SEPARATOR)) {
      const value = parsed(document);
      if (isObject(value)) yield value;
    }
  }
}

function isObject(value: unknown): value is KubeObject {
  if (!isMembers(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return false;
  return isMembers(value['metadata']) && typeof value['metadata']['name'] === 'string';
}

function parsed(document: string): unknown {
  if (!/^kind: /m.test(document)) return undefined;
  try {
    return parseYaml(Buffer.from(document));
  } catch {
    return undefined;
  }
}

function isDefinition(object: KubeObject): object is CustomResourceDefinition {
  if (object.kind !== 'CustomResourceDefinition' || object.apiVersion !== 'apiextensions.k8s.io/v1') return false;
  const { versions } = (object as CustomResourceDefinition).spec ?? {};
  return Array.isArray(versions) && versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined);
}

/** No conversion service runs here. */
function withoutConversion({ apiVersion, kind, metadata, spec }: CustomResourceDefinition): CustomResourceDefinition {
  const { name, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(annotations && { annotations }) },
    spec: { ...spec, conversion: { strategy: 'None' } },
  } as CustomResourceDefinition;
}
