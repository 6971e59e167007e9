import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from '@apiserver/api/core/v1';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { goForm } from './go-form.js';

it.each<[string, StructSchema, unknown, unknown]>([
  [
    'zero values, null for what is a pointer or a list, and structures inside',
    core.ContainerPort,
    { containerPort: 80, protocol: 'TCP' },
    { Name: '', HostPort: 0, ContainerPort: 80, Protocol: 'TCP', HostIP: '' },
  ],
  [
    'maps sorted, quantities as they are',
    core.ResourceRequirements,
    { limits: { memory: '1Gi', cpu: '2' } },
    { Limits: { cpu: '2', memory: '1Gi' }, Requests: null, Claims: null },
  ],
  [
    'embedded structures in their place, types of machinery as in JSON',
    core.ConfigMapKeySelector,
    { name: 'm', key: 'k' },
    { Name: 'm', Key: 'k', Optional: null },
  ],
  [
    'selectors by their JSON names',
    core.PodAffinityTerm,
    { topologyKey: 't', labelSelector: { matchLabels: { a: 'b' } } },
    {
      LabelSelector: { matchLabels: { a: 'b' } },
      Namespaces: null,
      TopologyKey: 't',
      NamespaceSelector: null,
      MatchLabelKeys: null,
      MismatchLabelKeys: null,
    },
  ],
  [
    'metadata among the fields, and no type',
    core.ServiceAccount.schema,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' }, secrets: [] },
    { name: 'a', Secrets: [], ImagePullSecrets: null, AutomountServiceAccountToken: null },
  ],
])('formats %s', (_what, schema, value, form) => {
  expect(JSON.stringify(goForm(schema, value))).toBe(JSON.stringify(form));
});

/** Every type of the published modules, by reflection. */
const FACTS = join(import.meta.dirname, '../../../../../shared/facts/api-1.36.json');

interface FactsOfType {
  readonly fields?: readonly FactsOfField[];
}

interface FactsOfField {
  readonly go: string;
  readonly inline?: boolean;
  readonly t?: { readonly ref?: string };
}

function isStruct(value: unknown): value is StructSchema {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'struct';
}

describe.skipIf(!existsSync(FACTS))('names of fields (skipped where ../shared is absent)', () => {
  const types: Readonly<Record<string, FactsOfType>> = existsSync(FACTS)
    ? JSON.parse(readFileSync(FACTS, 'utf8')).types
    : {};

  const namesOf = (type: string): string[] =>
    (types[type]?.fields ?? [])
      .filter(({ go }) => go !== 'TypeMeta' && go !== 'ObjectMeta')
      .flatMap(({ go, inline, t }) => (inline ? namesOf(t?.ref ?? '') : [go]));

  it('are those of Go', () => {
    const structs = Object.entries(core).filter((entry): entry is [string, StructSchema] => isStruct(entry[1]));
    const own = structs.map(([name, schema]) => [name, Object.keys(goForm(schema, {}) as object).sort()]);
    const facts = structs.map(([name]) => [name, namesOf(`k8s.io/api/core/v1.${name}`).sort()]);
    expect(structs.length).toBeGreaterThan(150);
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(facts));
  });
});
