/** Definitions as large operators have them: three versions, nested objects, lists with keys, long descriptions. */

/** The definitions are spread over this many groups. */
const definitionsOfGroup = 10;
const versions = ['v1alpha1', 'v1beta1', 'v1'];
const sentence = 'Declares the wanted state of the workload, which the controller compares with what it observes. ';

/** One definition with its address. */
export interface BenchDefinition {
  readonly name: string;
  readonly plural: string;
  readonly group: string;
  readonly manifest: object;
}

/** Definition number `index`, with at least `bytes` of JSON. */
export function benchDefinition(index: number, bytes: number): BenchDefinition {
  const group = `group${Math.floor(index / definitionsOfGroup)}.definitions.bench.example.com`;
  const plural = `kinds${index}`;
  const make = (size: Size) => manifestOf({ group, plural, kind: `Kind${index}` }, size);
  const lengthOf = (size: Size) => JSON.stringify(make(size)).length;
  let sections = 1;
  while (lengthOf({ sections: sections + 1, notes: 0 }) < bytes) sections++;
  let notes = 0;
  while (lengthOf({ sections, notes }) < bytes) notes++;
  return { name: `${plural}.${group}`, plural, group, manifest: make({ sections, notes }) };
}

/** The numbers of large and small members of a specification. */
interface Size {
  readonly sections: number;
  readonly notes: number;
}

interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

function manifestOf({ group, plural, kind }: Named, size: Size) {
  const schemas = versions.map((version) => schemaOf(`${kind} of ${version}`, size));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, shortNames: [`s${plural}`], categories: ['all'] },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: name === 'v1',
        additionalPrinterColumns: [
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        subresources: { status: {} },
        schema: { openAPIV3Schema: schemas[index] },
      })),
    },
  };
}

function schemaOf(title: string, { sections, notes }: Size) {
  const members = [
    ...Array.from({ length: sections }, (_, index) => [`section${index}`, sectionOf(index)]),
    ...Array.from({ length: notes }, (_, index) => [`note${index}`, { type: 'string', description: sentence }]),
  ];
  return {
    type: 'object',
    description: `${title}. ${sentence}`,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: sentence },
      kind: { type: 'string', description: sentence },
      metadata: { type: 'object' },
      spec: { type: 'object', required: ['section0'], properties: Object.fromEntries(members) },
      status: { type: 'object', properties: { observedGeneration: { type: 'integer', format: 'int64' }, conditions } },
    },
  };
}

/** A part of a pod's template, more or less: about 2.5 KB. */
function sectionOf(index: number) {
  const reference = {
    type: 'object',
    description: sentence,
    required: ['key'],
    'x-kubernetes-map-type': 'atomic',
    properties: {
      key: { type: 'string', description: sentence },
      name: { type: 'string', default: '', description: sentence },
      optional: { type: 'boolean', description: sentence },
    },
  };
  const variable = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
      value: { type: 'string', description: sentence },
      valueFrom: {
        type: 'object',
        properties: { secretKeyRef: reference, configMapKeyRef: reference },
      },
    },
  };
  return {
    type: 'object',
    description: `${sentence}Section ${index}.`,
    properties: {
      replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1, description: sentence },
      policy: { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'], default: 'Always' },
      port: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
      labels: { type: 'object', additionalProperties: { type: 'string' }, description: sentence },
      limits: {
        type: 'object',
        additionalProperties: {
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$',
          'x-kubernetes-int-or-string': true,
        },
      },
      env: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        description: sentence,
        items: variable,
      },
    },
  };
}

const conditions = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
    properties: {
      type: { type: 'string', maxLength: 316, description: sentence },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: sentence },
      reason: { type: 'string', minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
      message: { type: 'string', maxLength: 32_768, description: sentence },
      lastTransitionTime: { type: 'string', format: 'date-time', description: sentence },
    },
  },
};
