import type { Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { replicaSetDefinition } from './apps/replica-set/index.js';
import { jobDefinition } from './batch/job/index.js';
import { podDefinition } from './core/pod/index.js';
import { DEFAULT_POD_FEATURES } from './core/pod-spec/pod-features.js';
import { resourceSlices } from './resource/resource-slice/index.js';
import { storedDefinitions } from './testing/group-dependencies.js';
import { hubOf, smallestObject } from './testing/smallest-object.js';

const replicaSets = replicaSetDefinition(DEFAULT_POD_FEATURES, { enabled: () => true });
const jobs = jobDefinition(DEFAULT_POD_FEATURES);
const pods = podDefinition(DEFAULT_POD_FEATURES);
const EVENT_FIELDS = ['reason', 'reportingComponent'];
const OBJECT_FIELDS = ['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'];

/**
 * The fields of all kinds that are selected by more than their metadata, sorted.
 * Upstream: AddFieldLabelConversionFunc in conversion.go of the packages below pkg/apis
 */
const UPSTREAM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/events': [...OBJECT_FIELDS.map((field) => `involvedObject.${field}`), ...EVENT_FIELDS, 'source', 'type'],
  '/namespaces': ['status.phase'],
  '/nodes': ['spec.unschedulable'],
  '/pods': [
    ...['host', 'hostNetwork', 'nodeName', 'restartPolicy', 'schedulerName', 'serviceAccountName'].map(inSpec),
    ...['nominatedNodeName', 'phase', 'podIP', 'podIPs'].map((field) => `status.${field}`),
  ],
  '/replicationcontrollers': ['status.replicas'],
  '/secrets': ['type'],
  '/services': ['clusterIP', 'type'].map(inSpec),
  'batch/jobs': ['status.successful'],
  'certificates.k8s.io/certificatesigningrequests': ['spec.signerName'],
  'certificates.k8s.io/clustertrustbundles': ['spec.signerName'],
  'certificates.k8s.io/podcertificaterequests': ['nodeName', 'podName', 'signerName'].map(inSpec),
  'events.k8s.io/events': [
    'reason',
    ...OBJECT_FIELDS.map((field) => `regarding.${field}`),
    ...['reportingController', 'type'],
  ],
  'resource.k8s.io/resourceslices': ['driver', 'nodeName'].map(inSpec),
};

function inSpec(field: string): string {
  return `spec.${field}`;
}

describe('fields of all kinds', () => {
  const definitions = storedDefinitions();
  const nameOf = ({ group, resource }: AnyResourceDefinition) => `${group}/${resource}`;

  it('are those of upstream', () => {
    const declared = definitions.filter(({ selectableFieldNames }) => selectableFieldNames.length > 0);
    expect(Object.fromEntries(declared.map((one) => [nameOf(one), [...one.selectableFieldNames].sort()]))).toEqual(
      UPSTREAM_FIELDS,
    );
  });

  it('have the namespace among them, with one exception', () => {
    const without = definitions.filter(({ selectsNamespace }) => selectsNamespace === false).map(nameOf);
    expect(without).toEqual(['certificates.k8s.io/podcertificaterequests']);
  });

  it('have values, and no value is without a field', () => {
    const compared = definitions.map((definition) => {
      const { selectableFieldNames, selectableFieldLabels = {} } = definition;
      const stored = definition.storedAs ?? definition;
      const codec = compileKind(hubOf(stored).schema);
      const object = smallestObject(stored, codec, 'a');
      codec.applyDefaults(object);
      const values = Object.keys(stored.selectableFields?.(object) ?? {});
      const wanted = new Set(selectableFieldNames.map((field) => selectableFieldLabels[field] ?? field));
      const unnamed = values.filter((field) => !wanted.has(field)).map((field) => `${field} has no name`);
      const unfilled = [...wanted].filter((field) => !values.includes(field)).map((field) => `${field} has no value`);
      return [nameOf(definition), [...unnamed, ...unfilled]] as const;
    });
    expect(Object.fromEntries(compared.filter(([, faults]) => faults.length > 0))).toEqual({
      // Upstream has no such label in this version of the kind.
      'events.k8s.io/events': ['source has no name'],
    });
  });

  it('have words of their own for unknown fields where upstream has', () => {
    const own = definitions.filter(({ unknownFieldText }) => unknownFieldText !== undefined);
    expect(own.map(nameOf)).toEqual(['batch/jobs', 'resource.k8s.io/resourceslices']);
  });
});

it.each<[string, AnyResourceDefinition, readonly string[], string | undefined]>([
  ['jobs', jobs, ['status.successful'], 'field label "a" not supported for batchv1.Job'],
  ['replica sets', replicaSets, [], undefined],
  [
    'slices',
    resourceSlices(systemClock, { enabled: () => false }),
    ['spec.driver', 'spec.nodeName'],
    'field label not supported for resource.k8s.io/v1beta2, Kind=ResourceSlice: a',
  ],
])('%s support their own field selectors, and list them', (_kind, definition, names, text) => {
  expect([definition.selectableFieldNames, definition.unknownFieldText?.('a', 'v1beta2')]).toEqual([names, text]);
});

it("pods support a former name of the node's field, and podIPs without a value", () => {
  const pod: KubeObject & Partial<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: [], nodeName: 'n', securityContext: {} },
    status: { podIPs: [{ ip: '10.0.0.1' }] },
  };
  const fields = pods.selectableFields?.(pod as Pod) ?? {};
  expect([pods.selectableFieldLabels?.['spec.host'], fields['spec.nodeName'], fields['status.podIPs']]).toEqual([
    'spec.nodeName',
    'n',
    '',
  ]);
  expect(pods.selectableFieldNames).toEqual(expect.arrayContaining(['spec.host', 'status.podIPs', 'status.podIP']));
});
