import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { compileKind, type KubeObject } from '@apiserver/apimachinery';
import { describe, expect, it } from 'vitest';
import { definitionV1beta1 } from './v1beta1-form.js';

const { schema, applyDefaults, toHub, fromHub } = definitionV1beta1;
const codec = compileKind(schema);
const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
const red = { openAPIV3Schema: { type: 'object', properties: { color: { type: 'string' } } } };
const blue = { openAPIV3Schema: { type: 'object' } };
const column = { name: 'Color', type: 'string' };

/** As it is read from the store. */
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
            ...{ name: 'v1', served: true, storage: true, schema: red, subresources: { status: {} } },
            additionalPrinterColumns: [{ ...column, jsonPath: '.spec.color' }],
          },
        ],
      },
      {
        ...{ version: 'v1', validation: red, subresources: { status: {} } },
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
        ...{ version: 'v1', validation: red, versions: [{ name: 'v1', served: true, storage: true }] },
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

  it('takes what the first releases wrote', () => {
    expect(read({ names: { plural: 'widgets', kind: 'Widget' }, scope: '', version: 'v1alpha1' }).spec).toEqual({
      ...{ group: 'example.com', names, scope: 'Namespaced' },
      versions: [{ name: 'v1alpha1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    });
  });
});
