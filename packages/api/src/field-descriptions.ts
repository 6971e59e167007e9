import { readFileSync } from 'node:fs';
import { isMissingFile } from '@apiserver/apimachinery/errors';
import { builtFolder } from './load-descriptions.js';

type Definitions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The description of a field, by OpenAPI definition (`io.k8s.api.core.v1.Pod`) and JSON name; "" when there is none.
 */
export type DescribeField = (definition: string, field: string) => string;

/**
 * Describes single fields, for table columns. Reads a group version's file synchronously on its first use. Found
 * descriptions are cached, the file is not. `folder` overrides the folder of the files.
 */
export function fieldDescriptions(folder?: URL): DescribeField {
  const found = new Map<string, string>();
  const files = new Map<string, WeakRef<Definitions>>();
  const definitionsOf = (file: string): Definitions => {
    const known = files.get(file)?.deref();
    if (known !== undefined) return known;
    const place = folder ?? builtFolder();
    const read = place === undefined ? {} : readDefinitions(new URL(file, place));
    files.set(file, new WeakRef(read));
    return read;
  };
  return (definition, field) => {
    const key = `${definition} ${field}`;
    let description = found.get(key);
    if (description === undefined) {
      const own = definitionsOf(fileOf(definition))[definition];
      description = own !== undefined && Object.hasOwn(own, field) ? (own[field] ?? '') : '';
      found.set(key, description);
    }
    return description;
  };
}

/** Group and version precede the kind: `io.k8s.api.core.v1.Pod`. */
function fileOf(definition: string): string {
  const [group, version] = definition.split('.').slice(-3);
  return `${group}-${version}.json`;
}

function readDefinitions(file: URL): Definitions {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (isMissingFile(error)) return {};
    throw error;
  }
}
