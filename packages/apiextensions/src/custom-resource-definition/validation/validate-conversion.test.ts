import { Buffer } from 'node:buffer';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { describe, expect, it } from 'vitest';
import { conversionRules, validateConversion } from './validate-conversion.js';

type Spec = CustomResourceDefinition['spec'];

const at = FieldPath.of('spec', 'conversion');
const url = 'https://example.com/convert';
const service = { namespace: 'n', name: 'a', port: 443 };
const good = Buffer.from(makeTestCertificate({ commonName: 'a', authority: true }).certificate).toString('base64');
const bad = Buffer.from('Cg==').toString('base64');

const webhook = (clientConfig?: object, conversionReviewVersions: string[] | null = ['v1']) => ({
  strategy: 'Webhook',
  webhook: { ...(clientConfig && { clientConfig }), conversionReviewVersions },
});

function definition(conversion: object | undefined, established = true): CustomResourceDefinition {
  const conditions = [{ type: 'Established', status: established ? 'True' : 'False' }];
  return { spec: { conversion }, status: { conditions } } as unknown as CustomResourceDefinition;
}

function messages(conversion: object, old?: CustomResourceDefinition, more: object = {}): string[] {
  const spec = { conversion, ...more } as Spec;
  return validateConversion(spec, at, conversionRules(old)).map(fieldErrorMessage);
}

const CONFIG = 'spec.conversion.webhookClientConfig';
const REVIEWS = 'spec.conversion.conversionReviewVersions';

describe('conversion', () => {
  it.each<[string, object, string[]]>([
    ['None', { strategy: 'None' }, []],
    ['a URL', webhook({ url }), []],
    ['a service', webhook({ service }), []],
    ['no strategy', { strategy: '' }, ['spec.conversion.strategy: Required value']],
    [
      'another strategy',
      { strategy: 'Other' },
      ['spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"'],
    ],
    [
      'a webhook beside None',
      { ...webhook({ url }), strategy: 'None' },
      [
        `${CONFIG}: Forbidden: should not be set when strategy is not set to Webhook`,
        `${REVIEWS}: Forbidden: should not be set when strategy is not set to Webhook`,
      ],
    ],
    ['no client', webhook(), [`${CONFIG}: Required value: required when strategy is set to Webhook`]],
    ['no address', webhook({}), [`${CONFIG}: Required value: exactly one of url or service is required`]],
    [
      'two addresses',
      webhook({ url, service }),
      [`${CONFIG}: Required value: exactly one of url or service is required`],
    ],
    [
      'a URL without TLS',
      webhook({ url: 'http://a' }),
      [
        `${CONFIG}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      'a service without a name: upstream names the other field',
      webhook({ service: { ...service, name: '' } }),
      [`${CONFIG}.service.namespace: Required value`],
    ],
    [
      'a service without a namespace',
      webhook({ service: { ...service, namespace: '' } }),
      [`${CONFIG}.service.name: Required value`],
    ],
    ['no versions', webhook({ url }, []), [`${REVIEWS}: Required value`]],
    ['null as versions', webhook({ url }, null), [`${REVIEWS}: Required value`]],
    ['a version twice', webhook({ url }, ['v1', 'v1']), [`${REVIEWS}[1]: Invalid value: "v1": duplicate version`]],
    [
      'unknown versions',
      webhook({ url }, ['v7']),
      [`${REVIEWS}: Invalid value: ["v7"]: must include at least one of v1, v1beta1`],
    ],
  ])('with %s', (_, conversion, expected) => {
    expect(messages(conversion)).toEqual(expected);
  });

  it('by a webhook does not go with preserved unknown fields', () => {
    expect(messages(webhook({ url }), undefined, { preserveUnknownFields: true })).toEqual([
      'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
    ]);
  });
});

describe('an update', () => {
  it('may keep unknown versions of reviews', () => {
    const unknown = webhook({ url }, ['v7']);
    expect([messages(unknown, definition(unknown)), messages(unknown, definition(webhook({ url }))).length]).toEqual([
      [],
      1,
    ]);
  });

  it.each<[string, CustomResourceDefinition | undefined, number]>([
    ['of a new definition', undefined, 0],
    ['before the definition is established', definition(webhook({ url, caBundle: good }), false), 0],
    ['where it was invalid', definition(webhook({ url, caBundle: bad })), 0],
    ['where it was valid', definition(webhook({ url, caBundle: good })), 1],
    ['where there was none', definition(webhook({ url })), 1],
    ['where there was no webhook', definition({ strategy: 'None' }), 1],
  ])('may have an invalid caBundle %s', (_, old, faults) => {
    expect(messages(webhook({ url, caBundle: bad }), old)).toHaveLength(faults);
  });
});
