import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { createStorageProvider } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customResourceDefinitions } from './definition.js';
import { definitionV1beta1 } from './v1beta1-form.js';

const { schema, applyDefaults, toHub, fromHub } = definitionV1beta1;
const codec = compileKind(schema);
const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
const red = { openAPIV3Schema: { type: 'object', properties: { color: { type: 'string' } } } };
const blue = { openAPIV3Schema: { type: 'object' } };
const column = { name: 'Color', type: 'string' };

/** The definition as read from the store. */
function read(spec: object): CustomResourceDefinition {
  const text = JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', names, scope: 'Namespaced', ...spec },
  });
  const { object } = codec.decodeJson(Buffer.from(text), 'Strict');
  codec.applyDefaults(object);
  applyDefaults?.(object as CustomResourceDefinition);
  return toHub?.(object as CustomResourceDefinition) as CustomResourceDefinition;
}

function written(spec: object): KubeObject {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', names, scope: 'Namespaced', ...spec },
  } as unknown as CustomResourceDefinition;
  return JSON.parse(Buffer.from(codec.encodeJson(fromHub?.(definition) as KubeObject)).toString());
}

describe('definitions at rest', () => {
  it.each([
    [
      'one version says all in the spec',
      {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: red,
            subresources: { status: {} },
            additionalPrinterColumns: [{ ...column, jsonPath: '.spec.color' }],
          },
        ],
      },
      {
        version: 'v1',
        validation: red,
        subresources: { status: {} },
        additionalPrinterColumns: [{ ...column, JSONPath: '.spec.color' }],
        versions: [{ name: 'v1', served: true, storage: true }],
        preserveUnknownFields: false,
      },
    ],
    [
      'what differs stays with the versions',
      {
        versions: [
          { name: 'v2', served: true, storage: true, schema: red, selectableFields: [{ jsonPath: '.color' }] },
          { name: 'v1', served: true, storage: false, schema: blue, selectableFields: [{ jsonPath: '.color' }] },
        ],
        preserveUnknownFields: true,
      },
      {
        version: 'v2',
        versions: [
          { name: 'v2', served: true, storage: true, schema: red },
          { name: 'v1', served: true, storage: false, schema: blue },
        ],
        selectableFields: [{ jsonPath: '.color' }],
        preserveUnknownFields: true,
      },
    ],
    [
      'a webhook',
      {
        versions: [{ name: 'v1', served: true, storage: true, schema: red }],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://a/' }, conversionReviewVersions: ['v1'] },
        },
      },
      {
        version: 'v1',
        validation: red,
        versions: [{ name: 'v1', served: true, storage: true }],
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { url: 'https://a/' },
          conversionReviewVersions: ['v1'],
        },
        preserveUnknownFields: false,
      },
    ],
  ])('%s', (_name, v1, v1beta1) => {
    const there = written(v1);
    expect([there.apiVersion, there]).toMatchObject([
      'apiextensions.k8s.io/v1beta1',
      { spec: { group: 'example.com', names, scope: 'Namespaced', ...v1beta1 } },
    ]);
    const { spec } = read(v1beta1);
    const conversion = 'conversion' in v1 ? v1.conversion : { strategy: 'None' };
    expect(spec).toEqual({ group: 'example.com', names, scope: 'Namespaced', conversion, ...v1 });
  });

  it('are readable if the first releases stored them', () => {
    expect(read({ names: { plural: 'widgets', kind: 'Widget' }, scope: '', version: 'v1alpha1' }).spec).toEqual({
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1alpha1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    });
  });

  it('without stored versions have their storage version', () => {
    const { status } = read({ versions: [{ name: 'v1', served: true, storage: true }] });
    expect(status.storedVersions).toEqual(['v1']);
  });

  it('are unchanged when read', () => {
    const version = fc.record(
      {
        schema: fc.constantFrom(red, blue, {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        }),
        subresources: fc.constantFrom<object>(
          {},
          { status: {} },
          { scale: { specReplicasPath: '.a', statusReplicasPath: '.b' } },
        ),
        additionalPrinterColumns: fc.subarray(
          [1, 2].map((priority) => ({ ...column, priority, jsonPath: '.a' })),
          { minLength: 1 },
        ),
        selectableFields: fc.subarray([{ jsonPath: '.a' }, { jsonPath: '.b' }], { minLength: 1 }),
        deprecated: fc.constant(true),
        deprecationWarning: fc.constant('old'),
      },
      { requiredKeys: [] },
    );
    const webhook = fc.record(
      { clientConfig: fc.constant({ service: { namespace: 'a', name: 'b', port: 443 } }) },
      { requiredKeys: [] },
    );
    const conversion = fc.oneof(
      fc.constant({ strategy: 'None' }),
      webhook.map((one) => ({ strategy: 'Webhook', webhook: { ...one, conversionReviewVersions: ['v1', 'v1beta1'] } })),
    );
    const spec = fc.record({
      versions: fc
        .array(version, { minLength: 1, maxLength: 3 })
        .map((all) => all.map((one, i) => ({ name: `v${i}`, served: true, storage: i === 0, ...one }))),
      conversion,
    });
    fc.assert(
      fc.property(spec, fc.boolean(), (v1, preserves) => {
        const sent = { ...v1, ...(preserves ? { preserveUnknownFields: true } : {}) };
        const there = written(sent).spec as object;
        expect(read(there).spec).toEqual({ group: 'example.com', names, scope: 'Namespaced', ...sent });
      }),
    );
  });

  it.each([
    ['rewritten once in a store of several servers', 'onRequest', [['2', '3', '3'], 'v1beta1', red]],
    ['kept in a store of this server alone', 'immediate', [['2', '2', '2'], 'v1', undefined]],
  ] as const)('that were stored as v1 are readable, and %s', async (_what, freshness, [versions, atRest, inSpec]) => {
    const store = Object.assign(createMemoryStore({ clock: systemClock }), { freshness });
    await using provider = createStorageProvider({
      store,
      root: '/registry',
      clock: systemClock,
      codecFor: compileKind,
    });
    const storage = provider.storageFor(customResourceDefinitions);
    const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';
    const before = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: red }],
        conversion: { strategy: 'None' },
      },
      status: { conditions: null, acceptedNames: names, storedVersions: ['v1'] },
    };
    await store.commit({ type: 'put', key, value: Buffer.from(`${JSON.stringify(before)}\n`), expectedRevision: 0 });
    const seen = await storage.get('widgets.example.com', {});
    const touch = () =>
      storage.guaranteedUpdate('widgets.example.com', {}, async (current) => ({
        object: current?.object as CustomResourceDefinition,
      }));
    const revisions = [seen, (await touch()).stored, (await touch()).stored].map(
      ({ resourceVersion }) => resourceVersion,
    );
    const { kv } = await store.get(key);
    const there = JSON.parse(Buffer.from(kv?.value ?? []).toString());
    expect([seen.object, (await storage.get('widgets.example.com', {})).object]).toMatchObject([before, before]);
    expect([revisions, there.apiVersion, there.spec.validation]).toEqual([
      versions,
      `apiextensions.k8s.io/${atRest}`,
      inSpec,
    ]);
  });
});
