import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { type ControlPlane, startControlPlane } from '@apiserver/envtest';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { UPSTREAM_METRICS } from './upstream-metrics.ts';

/** Metrics of upstream that a server of the tests does not show, by the reason. Each name is of upstream's list. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  'hidden at 1.36, as upstream': [
    'apiserver_flowcontrol_request_concurrency_in_use',
    'apiserver_flowcontrol_request_concurrency_limit',
    'apiserver_request_slo_duration_seconds',
    'apiserver_storage_db_total_size_in_bytes',
    'etcd_bookmark_counts',
  ],
  'shown on /metrics/slis': ['kubernetes_healthcheck', 'kubernetes_healthchecks_total', 'process_start_time_seconds'],
  'shown with etcd': ['apiserver_storage_size_bytes', 'etcd_lease_object_counts'],
  'shown with --authorization-config': [
    'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
    'apiserver_authorization_config_controller_automatic_reloads_total',
    'apiserver_authorization_config_controller_last_config_info',
    'apiserver_authorization_match_condition_evaluation_errors_total',
    'apiserver_authorization_match_condition_evaluation_seconds',
    'apiserver_authorization_match_condition_exclusions_total',
  ],
  'shown with the gate ManifestBasedAdmissionControlConfig': [
    'apiserver_manifest_admission_config_controller_automatic_reload_last_timestamp_seconds',
    'apiserver_manifest_admission_config_controller_automatic_reloads_total',
    'apiserver_manifest_admission_config_controller_last_config_info',
  ],
  'shown with the gate ShardedListAndWatch': ['apiserver_watch_filtered_events_total', 'apiserver_watch_shards_total'],
  'shown with --peer-ca-file': [
    'apiserver_peer_discovery_sync_errors_total',
    'apiserver_peer_proxy_errors_total',
    'apiserver_rerouted_request_total',
    'rest_client_transport_ca_reload_total',
  ],
  'documents of OpenAPI are made when a client asks for them': [
    'aggregator_openapi_v2_regeneration_count',
    'aggregator_openapi_v2_regeneration_duration',
    'apiextensions_openapi_v2_regeneration_count',
    'apiextensions_openapi_v3_regeneration_count',
  ],
  'objects are validated in one way only': [
    'apiserver_validation_declarative_validation_mismatch_total',
    'apiserver_validation_declarative_validation_panic_total',
    'apiserver_validation_declarative_validation_panics_total',
    'apiserver_validation_declarative_validation_parity_discrepancies_total',
  ],
  'the comparison is a part of other work, and has no time of its own': [
    'apiextensions_apiserver_validation_ratcheting_seconds',
    'apiserver_request_timestamp_comparison_time',
  ],
  'of servers that delegate, which kube-apiserver does not': [
    'apiserver_delegated_authn_request_duration_seconds',
    'apiserver_delegated_authn_request_total',
    'apiserver_delegated_authz_request_duration_seconds',
    'apiserver_delegated_authz_request_total',
  ],
  'of KMS v1, which is refused': [
    'apiserver_envelope_encryption_dek_cache_fill_percent',
    'apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds',
  ],
  'certificates of extension servers are checked, not counted': [
    'apiserver_kube_aggregator_x509_insecure_sha1_total',
    'apiserver_kube_aggregator_x509_missing_san_total',
  ],
  'informers here have no queue between the network and their store': [
    'informer_processing_latency_seconds',
    'informer_queued_items',
    'informer_store_resource_version',
  ],
  'shown with the gate CoordinatedLeaderElection': ['leader_election_master_status', 'leader_election_slowpath_total'],
  'of kube-controller-manager': ['running_managed_controllers'],
  'clients have no limit of rate, no plugins and no cache of transports, and Node looks addresses up': [
    'rest_client_dns_resolution_duration_seconds',
    'rest_client_rate_limiter_duration_seconds',
    'rest_client_exec_plugin_call_total',
    'rest_client_exec_plugin_certificate_rotation_age',
    'rest_client_exec_plugin_policy_call_total',
    'rest_client_exec_plugin_ttl_seconds',
    'rest_client_transport_cache_entries',
    'rest_client_transport_cache_gc_calls_total',
    'rest_client_transport_cert_rotation_gc_calls_total',
    'rest_client_transport_create_calls_total',
  ],
};

const config = (kind: string, fields: object) => ({ apiVersion: 'apiserver.config.k8s.io/v1', kind, ...fields });
/** Nobody listens there. */
const NOWHERE = 'https://127.0.0.1:1';

const FILES: Readonly<Record<string, object>> = {
  'audit-policy-file': { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
  'authentication-config': config('AuthenticationConfiguration', {
    jwt: [
      {
        issuer: { url: 'https://issuer.example.com', audiences: ['a'] },
        claimMappings: { username: { claim: 'sub', prefix: '' } },
      },
    ],
  }),
  'authorization-webhook-config-file': {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: NOWHERE } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  },
  'encryption-provider-config': config('EncryptionConfiguration', {
    resources: [
      {
        resources: ['secrets'],
        providers: [{ aescbc: { keys: [{ name: 'k', secret: btoa('0123456789012345') }] } }, { identity: {} }],
      },
    ],
  }),
  'egress-selector-config-file': {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [
      {
        name: 'cluster',
        connection: { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'http://127.0.0.1:1' } } },
      },
    ],
  },
};

const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
const ADMISSION = 'admissionregistration.k8s.io';
const POLICIES: readonly (readonly [string, object])[] = [
  [
    'validatingwebhookconfigurations',
    {
      kind: 'ValidatingWebhookConfiguration',
      webhooks: [
        {
          name: 'a.example.com',
          rules: RULES,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: NOWHERE },
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'all', expression: 'true' }],
        },
      ],
    },
  ],
  [
    'validatingadmissionpolicies',
    {
      kind: 'ValidatingAdmissionPolicy',
      spec: { matchConstraints: { resourceRules: RULES }, validations: [{ expression: 'false' }] },
    },
  ],
  [
    'validatingadmissionpolicybindings',
    { kind: 'ValidatingAdmissionPolicyBinding', spec: { policyName: 'a', validationActions: ['Warn'] } },
  ],
  [
    'mutatingadmissionpolicies',
    {
      kind: 'MutatingAdmissionPolicy',
      spec: {
        matchConstraints: { resourceRules: RULES },
        reinvocationPolicy: 'Never',
        failurePolicy: 'Ignore',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
      },
    },
  ],
  ['mutatingadmissionpolicybindings', { kind: 'MutatingAdmissionPolicyBinding', spec: { policyName: 'a' } }],
];

let folder: string;
let plane: ControlPlane;
/** By name, with or without values. */
const shown = new Map<string, { readonly type: string; readonly stability: string }>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'metrics-'));
  const flags = Object.entries(FILES).map(([flag, content]) => {
    const file = join(folder, `${flag}.json`);
    writeFileSync(file, JSON.stringify(content));
    return `--${flag}=${file}`;
  });
  flags.push(
    `--audit-log-path=${join(folder, 'log')}`,
    '--encryption-provider-config-automatic-reload=true',
    '--authorization-mode=Webhook',
  );
  plane = await startControlPlane({ flags });
  await work(plane);
  const gather = vi.spyOn(MetricsRegistry.prototype, 'gather');
  await plane.fetch('/metrics').then((response) => response.text());
  const registries = gather.mock.contexts as readonly MetricsRegistry[];
  for (const metric of registries.flatMap((registry) => registry.shown())) shown.set(metric.name, metric);
  gather.mockRestore();
}, 120_000);
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true });
});

const json = { 'content-type': 'application/json' };

/** Some work of each part. */
async function work(server: ControlPlane): Promise<void> {
  for (const [resource, fields] of POLICIES) {
    const body = JSON.stringify({ apiVersion: `${ADMISSION}/v1`, metadata: { name: 'a' }, ...fields });
    const made = await server.fetch(`/apis/${ADMISSION}/v1/${resource}`, { method: 'POST', headers: json, body });
    expect([resource, made.status]).toEqual([resource, 201]);
  }
  const maps = '/api/v1/namespaces/default/configmaps';
  const late = ['mutating', 'validating'].map((type) => `apiserver_${type}_admission_policy_check_total`);
  const seen = new Set<string | undefined>();
  for (let attempt = 0; attempt < 300 && !late.every((name) => seen.has(name)); attempt++) {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `a${attempt}` } });
    await server.fetch(maps, { method: 'POST', headers: json, body });
    const text = await server.fetch('/metrics').then((response) => response.text());
    for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) seen.add(name);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const watch = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
  await server.fetch(`${maps}?${watch}&timeoutSeconds=1`).then((response) => response.text());
  await server.user('alice').fetch(maps);
}

const upstream = Object.entries(UPSTREAM_METRICS).flatMap(([stability, byType]) =>
  Object.entries(byType).flatMap(([type, names]) => names.map((name) => ({ name, type, stability }))),
);

it('a server shows the metrics of upstream but those with a reason', () => {
  const missing = upstream.map(({ name }) => name).filter((name) => !shown.has(name));
  expect(missing.sort()).toEqual(Object.values(ABSENT).flat().sort());
});

it('their types and stabilities are those of upstream', () => {
  const different = upstream.flatMap(({ name, type, stability }) => {
    const ours = shown.get(name);
    if (ours === undefined || (ours.type === type && ours.stability === stability)) return [];
    return [`${name}: ${ours.type} ${ours.stability}, upstream ${type} ${stability}`];
  });
  expect(different).toEqual([]);
});

it('counts the objects of a custom resource as long as it is defined', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const send = async (method: string, path: string, body?: object) =>
    (await plane.fetch(path, { method, headers: json, ...(body && { body: JSON.stringify(body) }) })).status;
  const counts = async () => {
    const text = await plane.fetch('/metrics').then((response) => response.text());
    return [...text.matchAll(/^apiserver_(?:resource|storage)_objects\{.*crontabs.*$/gm)].map(([line]) => line);
  };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'crontabs.stable.example.com' },
    spec: {
      group: 'stable.example.com',
      scope: 'Cluster',
      names: { plural: 'crontabs', kind: 'CronTab' },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    },
  };
  expect(await send('POST', definitions, definition)).toBe(201);
  const object = { apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name: 'a' } };
  await expect.poll(() => send('POST', '/apis/stable.example.com/v1/crontabs', object)).toBe(201);
  await expect
    .poll(counts)
    .toEqual([
      'apiserver_resource_objects{group="stable.example.com",resource="crontabs"} 1',
      'apiserver_storage_objects{resource="crontabs.stable.example.com"} 1',
    ]);
  expect(await send('DELETE', `${definitions}/${definition.metadata.name}`)).toBe(200);
  await expect.poll(counts).toEqual([]);
});

it('queues of controllers have upstream’s names', async () => {
  const text = await plane.fetch('/metrics').then((response) => response.text());
  const queues = [...text.matchAll(/^workqueue_depth\{name="([^"]+)"\}/gm)].map(([, name]) => name);
  expect(queues).toEqual(
    expect.arrayContaining([
      'crdEstablishing',
      'crd_finalizer',
      'crd_naming_condition_controller',
      'kubernetes_api_approval_conformant_condition_controller',
      'non_structural_schema_condition_controller',
      'autoregister',
      'LocalAvailabilityController',
      'RemoteAvailabilityController',
    ]),
  );
});

it('observes filters, bodies, watches with initial events, and requests of its own', async () => {
  const text = await plane.fetch('/metrics').then((response) => response.text());
  const count = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  for (const filter of [
    'authentication',
    'audit',
    'constrainedimpersonation',
    'priorityandfairness',
    'authorization',
  ]) {
    expect(count(`apiserver_request_filter_duration_seconds_count{filter="${filter}"}`)).toBeGreaterThan(0);
  }
  const listed = 'group="",resource="configmaps",scope="namespace",version="v1"';
  expect(count(`apiserver_watch_list_duration_seconds_count{${listed}}`)).toBe(1);
  const bodies = 'group="",resource="configmaps",verb="create"';
  expect(count(`apiserver_request_body_size_bytes_count{${bodies}}`)).toBeGreaterThan(0);
  expect(text).toMatch(/^apiserver_selfrequest_total\{.*verb="LIST"\} [1-9]/m);
  expect(text).toContain(
    'version_info{binary="1.36.0+apiserver.0.1.0",component="kube",emulation="1.36",min_compat="1.35"} 1',
  );
});
