import { existsSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@apiserver/apimachinery';
import { openApiDefinitions } from '@apiserver/apimachinery/openapi';
import type { Schema } from '@apiserver/apimachinery/schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { metaKinds } from './generated/meta/v1.js';
import { groupVersions } from './index.js';

const file = new URL('../../../../shared/facts/openapi-v2-1.36.json', import.meta.url);
const golden: Record<string, JsonObject> = existsSync(file)
  ? withoutDescriptions(JSON.parse(readFileSync(file, 'utf8')).definitions)
  : {};
/** Types of paths, not of kinds. */
const elsewhere = ['io.k8s.apimachinery.pkg.apis.meta.v1.Patch', 'io.k8s.apimachinery.pkg.version.Info'];

function withoutDescriptions<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutDescriptions) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => key !== 'description' || typeof inner !== 'string');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDescriptions(inner)])) as T;
}

let definitions: Map<string, JsonObject>;

beforeAll(async () => {
  const roots: Schema[] = Object.values(metaKinds).map((schema) => schema());
  for (const entry of groupVersions) roots.push(...(await entry.load()).kinds().map((kind) => kind.schema));
  definitions = openApiDefinitions(roots, { version: 'v2', enums: false });
});

describe.skipIf(Object.keys(golden).length === 0)(
  'OpenAPI v2 definitions of upstream (skipped when ../shared/facts is absent)',
  () => {
    it.each(Object.keys(golden).filter((name) => !elsewhere.includes(name)))('%s', (name) => {
      const { 'x-kubernetes-group-version-kind': _, ...expected } = golden[name] ?? {};
      expect(definitions.get(name)).toEqual(expected);
    });
  },
);

const factsFile = new URL('../../../../shared/facts/api-1.36.json', import.meta.url);
interface TypeOfFacts {
  readonly go?: string;
  readonly elem?: TypeOfFacts;
}
interface FieldOfFacts {
  readonly json?: string;
  readonly t: TypeOfFacts;
  readonly smd?: { readonly default?: unknown; readonly elem?: unknown };
}
const facts: {
  types: Record<string, { smd?: string; enum?: string[]; markers?: string[]; fields?: FieldOfFacts[] } | undefined>;
} = existsSync(factsFile) ? JSON.parse(readFileSync(factsFile, 'utf8')) : { types: {} };

/** Types whose constants are conversions, which the facts lack. */
const convertedValues: Readonly<Record<string, readonly string[]>> = {
  AddressType: ['FQDN', 'IPv4', 'IPv6'],
  PathType: ['Exact', 'ImplementationSpecific', 'Prefix'],
  DeviceAllocationMode: ['All', 'ExactCount'],
};

/** The enum values of a property in OpenAPI, if its type is marked as an enum. */
function listedValues({ go = '', elem }: TypeOfFacts): readonly string[] | undefined {
  if (elem !== undefined) return listedValues(elem);
  const type = facts.types[go];
  if (type?.markers?.includes('enum') !== true) return undefined;
  return type.enum?.toSorted() ?? convertedValues[go.slice(go.lastIndexOf('.') + 1)];
}

interface Property {
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Property;
  readonly additionalProperties?: Property;
}

describe.skipIf(Object.keys(facts.types).length === 0)('OpenAPI v3 (skipped when ../shared/facts is absent)', () => {
  it('lists the values of types marked as enums, and of no others', async () => {
    const roots: Schema[] = [];
    for (const entry of groupVersions) roots.push(...(await entry.load()).kinds().map((kind) => kind.schema));
    const v3 = openApiDefinitions(roots, { version: 'v3', enums: true });
    const valuesOf = (property: Property | undefined): readonly string[] | undefined =>
      property?.enum ?? property?.items?.enum ?? property?.additionalProperties?.enum;
    const [ours, theirs]: Record<string, readonly string[] | undefined>[] = [{}, {}];
    for (const type of Object.values(facts.types)) {
      const { smd = '', fields = [] } = type ?? {};
      const properties = v3.get(smd)?.['properties'] as Record<string, Property> | undefined;
      for (const { json = '', t } of fields) {
        if (properties?.[json] === undefined) continue;
        const name = `${smd} ${json}`;
        Object.assign(ours ?? {}, { [name]: valuesOf(properties[json]) });
        Object.assign(theirs ?? {}, { [name]: listedValues(t) });
      }
    }
    expect(ours).toEqual(theirs);
    expect(Object.values(ours ?? {}).filter((values) => values !== undefined).length).toBeGreaterThan(100);
  });

  it('shows the defaults of the structured-merge-diff schema', async () => {
    const roots: Schema[] = [];
    for (const entry of groupVersions) roots.push(...(await entry.load()).kinds().map((kind) => kind.schema));
    const v3 = openApiDefinitions(roots, { version: 'v3', enums: true });
    const different: unknown[] = [];
    for (const type of Object.values(facts.types)) {
      const properties = (v3.get(type?.smd ?? '')?.['properties'] ?? {}) as Record<string, Property>;
      for (const { json = '', smd } of type?.fields ?? []) {
        const isTyped = smd !== undefined && !('elem' in smd);
        if (isTyped && JSON.stringify(properties[json]?.default) !== JSON.stringify(smd.default)) {
          different.push([type?.smd, json, smd, properties[json]]);
        }
      }
    }
    expect(different).toEqual([]);
  });
});
