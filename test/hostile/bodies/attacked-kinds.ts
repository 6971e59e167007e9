import { fullObjects } from '../../../packages/builtin-resources/src/testing/fault-walk/full-objects/index.ts';
import { servedKinds } from '../../../packages/builtin-resources/src/testing/recorded-kinds/served-kinds.ts';
import { customResourceDefinition, DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { AttackedKind } from './random-writes.ts';

/** The namespace of the objects under attack. */
export const NAMESPACE = 'bodies';

const GROUP = 'bodies.hostile.example';
const TEXT = { type: 'string', pattern: '^[a-z0-9.]+$', maxLength: 1_000_000 };
const ITEM = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    values: { type: 'array', items: { type: 'string' } },
    weight: { default: 1 },
  },
};
const WEIGHT = { type: 'integer', default: 1, minimum: 0 };
const SPEC = {
  type: 'object',
  properties: {
    text: TEXT,
    choice: { type: 'string', enum: ['a', 'b'] },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { ...ITEM, properties: { ...ITEM.properties, weight: WEIGHT } },
    },
    atomic: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', format: 'date-time' } } } },
    dictionary: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
    anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    port: { 'x-kubernetes-int-or-string': true },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    one: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }], properties: { a: TEXT, b: TEXT } },
  },
  'x-kubernetes-validations': [{ rule: '!has(self.text) || self.text != "never"', message: 'm' }],
};
const COLUMNS = ['.spec.text', '.spec.map[*].name', '.spec.dictionary', '..name'].map((jsonPath, i) => ({
  ...{ name: `c${i}`, type: 'string', jsonPath },
}));

/** The definition of a kind with a field of each sort. */
export const ATTACKED_DEFINITION = (() => {
  const schema = { properties: { spec: SPEC, status: { type: 'object', properties: { text: TEXT } } } };
  const definition = customResourceDefinition(GROUP, 'Attacked', schema, { status: {} });
  const selectableFields = [{ jsonPath: '.spec.text' }, { jsonPath: '.spec.choice' }];
  const versions = definition.spec.versions.map((version) => ({
    ...{ ...version, selectableFields, additionalPrinterColumns: COLUMNS },
  }));
  return { ...definition, spec: { ...definition.spec, versions } };
})();

const CUSTOM_OBJECT = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Attacked',
  spec: {
    ...{ text: 'a', choice: 'a', set: ['a', 'b'], map: [{ name: 'a', values: ['a'] }], port: 'http', one: { a: 'a' } },
    ...{ atomic: [{ a: '2026-01-01T00:00:00Z' }], dictionary: { a: { a: 'a' } }, anything: { a: [{ b: 'c' }] } },
    embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } },
  },
  status: { text: 'a' },
};
const { kind, apiVersion, spec } = ATTACKED_DEFINITION;
const API_SERVICE = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  spec: {
    ...{ group: 'a.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, caBundle: 'YQ==' },
    service: { namespace: 'ns', name: 's' },
  },
};

const OTHERS: readonly AttackedKind[] = [
  {
    path: `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/attackeds`,
    ...{ schema: undefined, object: CUSTOM_OBJECT, subresources: [], isStored: true },
  },
  {
    path: DEFINITIONS,
    name: 'others.definitions.hostile.example',
    schema: undefined,
    object: {
      ...{ apiVersion, kind },
      spec: { ...spec, group: 'definitions.hostile.example', names: { plural: 'others', kind: 'Other' } },
    },
    ...{ subresources: [], isStored: true },
  },
  {
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    name: 'v1.a.example.com',
    ...{ schema: undefined, object: API_SERVICE, subresources: [], isStored: true },
  },
];

/** All built-in kinds that clients create, a kind of custom resources, and what defines such kinds. */
export function attackedKinds(): readonly AttackedKind[] {
  const served = servedKinds();
  const builtIn = fullObjects.map(({ apiVersion, kind, name, fields, labels, annotations }): AttackedKind => {
    const one = served.get(`${apiVersion}/${kind}`);
    if (one === undefined) throw new TypeError(`${apiVersion}/${kind} is not served`);
    const { definition, version } = one;
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const namespace = definition.scope === 'Namespaced' ? `/namespaces/${NAMESPACE}` : '';
    return {
      path: `${root}${namespace}/${definition.resource}`,
      ...(name !== undefined && { name }),
      schema: version.schema,
      object: { apiVersion, kind, ...fields },
      metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
      subresources: Object.keys(definition.subresources),
      isStored: definition.verbs.includes('get'),
    };
  });
  return [...builtIn, ...OTHERS];
}
