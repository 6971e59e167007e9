import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition, ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { ALL_VERBS, rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { storedGroups } from './testing/group-dependencies.js';

/** The decoded form of an empty object. */
function emptyObject({ schema }: ResourceVersionDefinition, name: string): KubeObject {
  const sent = { apiVersion: formatGroupVersion(schema.gvk), kind: schema.gvk.kind, metadata: { name } };
  return compileKind(schema).decodeJson(Buffer.from(JSON.stringify(sent)), 'Ignore').object;
}

function emptyHubObject(definition: AnyResourceDefinition): KubeObject {
  const { versions, hubVersion } = definition.storedAs ?? definition;
  const hub = versions.find(({ version }) => version === hubVersion);
  if (hub === undefined) throw new Error(`no version ${hubVersion}`);
  return emptyObject(hub, '');
}

it('has null instead of rows in an empty Table only where upstream has no printer', () => {
  const nullable = storedGroups().flatMap(({ definitions }) => definitions.filter((one) => one.emptyRowsAreNull));
  expect(nullable.map(({ resource }) => resource).sort()).toEqual(['clusterroles', 'limitranges', 'roles']);
});

/** Properties of every resource; a new one is checked here automatically. */
describe.each(storedGroups())('group "$group"', ({ group, versions, definitions }) => {
  it('lists each resource once', () => {
    const names = definitions.map(({ resource }) => resource);
    expect(new Set(names).size).toBe(names.length);
    const shortNames = definitions.flatMap((definition) => definition.shortNames);
    expect(new Set(shortNames).size).toBe(shortNames.length);
  });

  describe.each(definitions)('$resource', (definition) => {
    it("has a hub and a storage version among the group's versions", () => {
      expect(definition.group).toBe(group);
      const own = definition.versions.map(({ version }) => version);
      expect(own.filter((version) => !versions.includes(version))).toEqual([]);
      expect(own).toContain(definition.hubVersion);
      expect(own).toContain(definition.storageVersion);
      for (const { version, schema } of definition.versions) {
        expect(schema.gvk).toEqual({ group, version, kind: definition.kind });
        expect(schema.semantics).toBe('typed');
      }
    });

    it('converts every version that is not the hub', () => {
      for (const version of definition.versions) {
        const isHub = version.version === definition.hubVersion && definition.storedAs === undefined;
        expect([Boolean(version.toHub), Boolean(version.fromHub)]).toEqual([!isHub, !isHub]);
      }
    });

    it('supports known verbs in discovery order', () => {
      expect(definition.verbs).toEqual(ALL_VERBS.filter((verb) => definition.verbs.includes(verb)));
    });

    it('has the scope and names of the schema', () => {
      const [version] = definition.versions;
      expect(version?.schema.resource?.plural).toBe(definition.resource);
      expect(definition.scope).toBe(version?.schema.resource?.namespaced ? 'Namespaced' : 'Cluster');
      expect(version?.schema.listKind).toBe(definition.listKind);
      expect(definition.singular).toBe(definition.kind.toLowerCase());
    });

    it('has columns with descriptions, among them the name, and prints an empty object', () => {
      const [first] = definition.columns;
      // Upstream has forgotten the format of one kind.
      const format = definition.kind === 'StorageVersionMigration' ? '' : 'name';
      const named = definition.columns.find((column) => column.format === 'name') ?? first;
      expect([named?.name, named?.format]).toEqual(['Name', format]);
      const empty = emptyHubObject(definition);
      for (const column of definition.columns) {
        expect(column.description !== '' || column.describedBy !== undefined, `${column.name} is described`).toBe(true);
        expect(['string', 'number', 'boolean'], column.name).toContain(typeof column.cell(empty, rowTime(0)));
      }
    });

    it('defaults objects idempotently', () => {
      for (const version of definition.versions) {
        const object = emptyObject(version, 'a');
        version.applyDefaults?.(object);
        const once = structuredClone(object);
        version.applyDefaults?.(object);
        expect(object).toEqual(once);
      }
    });

    it('supports exactly the declared field selectors', () => {
      const { selectableFieldNames, selectableFieldLabels } = definition;
      const fields = (definition.storedAs ?? definition).selectableFields?.(emptyHubObject(definition)) ?? {};
      const named = selectableFieldNames.map((name) => selectableFieldLabels?.[name] ?? name);
      if (definition.storedAs === undefined) expect(Object.keys(fields).sort()).toEqual([...new Set(named)].sort());
      else expect(named.filter((name) => !Object.hasOwn(fields, name))).toEqual([]);
    });
  });
});
