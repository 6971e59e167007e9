import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { expect, it } from 'vitest';
import { internalSchema } from './internal-schema.js';

/** As upstream's messages have it. */
const EMPTY =
  '{"ID":"","Schema":"","Ref":null,"Description":"","Type":"","Nullable":false,"Format":"","Title":"","Default":null,' +
  '"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,' +
  '"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,' +
  '"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,' +
  '"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,' +
  '"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,' +
  '"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}';

it.each<readonly [JSONSchemaProps, field: string, text: string]>([
  [{ default: { z: 1, y: [{ b: 1, a: 2 }] } }, 'Default', '{"y":[{"a":2,"b":1}],"z":1}'],
  [{ properties: { z: {}, y: {} } }, 'Properties', `{"y":${EMPTY},"z":${EMPTY}}`],
  [{ items: {} }, 'Items', `{"Schema":${EMPTY},"JSONSchemas":null}`],
  [{ items: [{}] }, 'Items', `{"Schema":null,"JSONSchemas":[${EMPTY}]}`],
  [{ additionalProperties: false }, 'AdditionalProperties', '{"Allows":false,"Schema":null}'],
  [{ additionalProperties: {} }, 'AdditionalProperties', `{"Allows":true,"Schema":${EMPTY}}`],
  [
    { dependencies: { b: ['c'], a: {} } },
    'Dependencies',
    `{"a":{"Schema":${EMPTY},"Property":null},"b":{"Schema":null,"Property":["c"]}}`,
  ],
  [{ externalDocs: { url: 'x' } }, 'ExternalDocs', '{"Description":"","URL":"x"}'],
  [
    { 'x-kubernetes-validations': [{ rule: 'true' }] },
    'XValidations',
    '[{"Rule":"true","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}]',
  ],
])('%j has %s', (props, field, text) => {
  const whole = JSON.stringify(internalSchema(props));
  expect(whole).toBe(EMPTY.replace(new RegExp(`"${field}":null`), () => `"${field}":${text}`));
});
