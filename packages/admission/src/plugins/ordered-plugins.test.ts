import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { type AdmittedSample, admissionPluginSuite } from '../testing/plugin-suite.js';
import { namespace, pod } from '../testing/sample-objects.js';
import { orderedPlugins } from './ordered-plugins.js';

const named = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'ns' },
  ...more,
});
const objects = {
  namespaces: [namespace()],
  serviceaccounts: [named('ServiceAccount', 'default')],
  resourcequotas: [named('ResourceQuota', 'q', { spec: {}, status: { hard: { pods: '5' }, used: { pods: '1' } } })],
};
const aPod: AdmittedSample = { what: 'a pod', attributes: objectAttributes('pods', pod()), objects };
const claim = named('PersistentVolumeClaim', 'c', { spec: { resources: { requests: { storage: '1Gi' } } } });
const aClaim = { what: 'a claim', attributes: objectAttributes('persistentvolumeclaims', claim), objects };
const anUpdate = { ...aPod, what: 'an update', attributes: objectAttributes('pods', pod(), { oldObject: pod() }) };
const job = named('Job', 'j', { spec: { template: {} } });
const aPodGroup = {
  what: 'a pod group',
  attributes: objectAttributes('podgroups.scheduling.k8s.io', named('PodGroup', 'g', { spec: {} })),
};
const request = named('CertificateSigningRequest', 'r', { spec: { signerName: 'example.com/s' }, status: {} });

/** Samples for each implemented plugin. */
const samples: Readonly<Record<string, readonly AdmittedSample[]>> = {
  AlwaysAdmit: [],
  NamespaceAutoProvision: [{ ...aPod, objects: {} }],
  NamespaceLifecycle: [aPod],
  NamespaceExists: [aPod],
  LimitPodHardAntiAffinityTopology: [aPod],
  LimitRanger: [aPod, aClaim],
  ServiceAccount: [aPod],
  NodeRestriction: [aPod],
  TaintNodesByCondition: [
    { what: 'a node', attributes: objectAttributes('nodes', { ...named('Node', 'n', { spec: {} }) }) },
  ],
  AlwaysPullImages: [aPod],
  ImagePolicyWebhook: [aPod],
  PodSecurity: [
    aPod,
    { what: 'a namespace', attributes: objectAttributes('namespaces', namespace()) },
    { what: 'a pod template', attributes: objectAttributes('podtemplates', named('PodTemplate', 't')), objects },
  ],
  PodNodeSelector: [aPod],
  Priority: [aPod, anUpdate],
  DefaultTolerationSeconds: [aPod],
  PodTolerationRestriction: [aPod],
  EventRateLimit: [
    { what: 'an event', attributes: objectAttributes('events', named('Event', 'e', { involvedObject: {} })) },
  ],
  ExtendedResourceToleration: [aPod],
  DefaultStorageClass: [aClaim],
  StorageObjectInUseProtection: [aClaim],
  PodGroupProtection: [aPodGroup],
  OwnerReferencesPermissionEnforcement: [aPod],
  PersistentVolumeClaimResize: [
    { ...aClaim, attributes: objectAttributes('persistentvolumeclaims', claim, { oldObject: claim }) },
  ],
  RuntimeClass: [aPod],
  CertificateApproval: [],
  CertificateSigning: [
    {
      what: 'an answer that says nothing new',
      attributes: objectAttributes('certificatesigningrequests.certificates.k8s.io/status', request, {
        oldObject: request,
      }),
    },
  ],
  ClusterTrustBundleAttest: [
    {
      what: 'a bundle without a signer',
      attributes: objectAttributes(
        'clustertrustbundles.certificates.k8s.io',
        named('ClusterTrustBundle', 'b', { spec: { trustBundle: '' } }),
      ),
    },
  ],
  CertificateSubjectRestriction: [
    {
      what: 'a certificate signing request',
      attributes: objectAttributes('certificatesigningrequests.certificates.k8s.io', request),
    },
  ],
  DefaultIngressClass: [
    {
      what: 'an ingress',
      attributes: objectAttributes('ingresses.networking.k8s.io', named('Ingress', 'i', { spec: {} })),
    },
  ],
  DenyServiceExternalIPs: [
    { what: 'a service', attributes: objectAttributes('services', named('Service', 's', { spec: {} })) },
  ],
  PodTopologyLabels: [aPod],
  PodGroupWorkloadExists: [aPodGroup],
  NodeDeclaredFeatureValidator: [anUpdate],
  JobValidation: [{ what: 'a job', attributes: objectAttributes('jobs.batch', job, { oldObject: job }) }],
  PodResizeValidator: [
    { what: 'a resize', attributes: objectAttributes('pods/resize', pod(), { oldObject: pod() }), objects },
  ],
  MutatingAdmissionPolicy: [],
  MutatingAdmissionWebhook: [aPod],
  ValidatingAdmissionPolicy: [],
  ValidatingAdmissionWebhook: [aPod],
  ResourceQuota: [aPod],
  AlwaysDeny: [],
};

/** Configuration for each plugin that requires one. */
const configurations: Readonly<Record<string, object>> = {
  ImagePolicyWebhook: { imagePolicy: { kubeConfigFile: 'w' } },
  EventRateLimit: { limits: [{ type: 'Server', qps: 1, burst: 9 }] },
};

/** Feature gates of plugins that do nothing without them. */
const gates = ['ClusterTrustBundle', 'GenericWorkload', 'NodeDeclaredFeatures', 'PodTopologyLabelsAdmission'];

for (const definition of orderedPlugins.filter(({ create }) => create !== undefined)) {
  const configuration = configurations[definition.name];
  admissionPluginSuite(definition, samples[definition.name] ?? [], { configuration, enabled: gates });
}

it('has samples for each implemented plugin, and each name once', () => {
  const built = orderedPlugins.filter(({ create }) => create !== undefined).map(({ name }) => name);
  expect(Object.keys(samples)).toEqual(built);
  expect(new Set(orderedPlugins.map(({ name }) => name)).size).toBe(orderedPlugins.length);
});
