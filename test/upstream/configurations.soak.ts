import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import {
  decodeAuthenticationConfiguration,
  ExpressionCompiler,
  validateConfiguration,
} from '@apiserver/authentication/oidc';
import { conditionCompiler, loadConfiguration as loadAuthorization } from '@apiserver/authorization/configuration';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { readTracingConfiguration } from '@apiserver/component-base/tracing';
import { afterAll, it } from 'vitest';
import { podSecurityConfiguration } from '../../packages/admission/src/plugins/pod-security/configuration.ts';
import { limitedResourcesOf } from '../../packages/admission/src/quota/quota-configuration.ts';
import { loadPolicy } from '../../packages/audit/src/policy/load-policy.ts';
import {
  readEgressConfiguration,
  validateEgressConfiguration,
} from '../../packages/generic-server/src/egress/egress-configuration.ts';
import { readAdmissionConfiguration } from '../../packages/kube-apiserver/src/config/admission-configuration.ts';
import { loadConfiguration } from '../../packages/registry-store/src/encryption/configuration/load-configuration.ts';
import { createEncryptionMetrics } from '../../packages/registry-store/src/encryption/create-encryption-metrics.ts';
import { loadTransformerSet } from '../../packages/registry-store/src/encryption/transformer-set.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import type { Random } from '../watch/random.ts';
import { compareCases, type Upstream } from './compare-cases.ts';
import { inOrder } from './in-order.ts';
import { mutated } from './mutated-text.ts';
import { mutatedValue } from './mutated-value.ts';
import { describeUpstream } from './upstream-program.ts';

const folder = temporaryDirectory('configurations');
afterAll(() => folder[Symbol.dispose]());
const existing = join(folder.path, 'file');
writeFileSync(existing, '');

const GROUP = 'apiserver.config.k8s.io';
const versioned = (version: string, kind: string, fields: object) => ({
  apiVersion: `${GROUP}/${version}`,
  kind,
  ...fields,
});

const issuer = {
  url: 'https://issuer.example',
  discoveryURL: 'https://discovery.example/.well-known',
  audiences: ['client', 'other'],
  audienceMatchPolicy: 'MatchAny',
  egressSelectorType: 'cluster',
};
const jwts = [
  {
    issuer,
    claimValidationRules: [
      { claim: 'hd', requiredValue: 'example.com' },
      { expression: 'claims.exp - claims.nbf <= 86400', message: 'too long' },
    ],
    claimMappings: {
      username: { expression: "'user:' + claims.sub" },
      groups: { claim: 'groups', prefix: 'g:' },
      uid: { claim: 'sub' },
      extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
    },
    userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
  },
  {
    issuer: { url: 'https://b.example', audiences: ['c'] },
    claimMappings: { username: { claim: 'email', prefix: '' } },
  },
];
const authorizers = [
  {
    type: 'Webhook',
    name: 'hook.example.com',
    webhook: {
      authorizedTTL: '30s',
      unauthorizedTTL: '30s',
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'Deny',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: existing },
      matchConditions: [
        { expression: "request.resourceAttributes.namespace == 'n'" },
        { expression: "has(request.resourceAttributes) && 'x' in request.groups" },
      ],
    },
  },
  { type: 'Node', name: 'node' },
  { type: 'RBAC', name: 'rbac' },
];
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    {
      level: 'Metadata',
      users: ['a'],
      userGroups: ['g'],
      verbs: ['get'],
      namespaces: ['n'],
      omitStages: ['Panic'],
      resources: [{ group: '', resources: ['pods', 'pods/*'], resourceNames: ['p'] }],
    },
    { level: 'None', nonResourceURLs: ['/healthz*', '/version'] },
    { level: 'RequestResponse', resources: [{ group: 'apps' }], omitManagedFields: false },
  ],
};
const selection = (name: string, connection: object) => ({ name, connection });
const tlsConfig = { caBundle: existing, clientKey: existing, clientCert: existing };
const egressSelections = [
  selection('cluster', { proxyProtocol: 'GRPC', transport: { uds: { udsName: existing } } }),
  selection('controlplane', {
    proxyProtocol: 'HTTPConnect',
    transport: { tcp: { url: 'https://127.0.0.1:8131', tlsConfig } },
  }),
  selection('etcd', { proxyProtocol: 'Direct' }),
];
const keys = (...sizes: readonly number[]) => ({
  keys: sizes.map((size, i) => ({ name: `key${i}`, secret: Buffer.alloc(size, i + 1).toString('base64') })),
});
const kms = (fields: object) => ({ kms: { apiVersion: 'v2', endpoint: 'unix:///tmp/kms.sock', ...fields } });
const encryptions = [
  {
    resources: ['secrets', 'configmaps', 'pandas.awesome.bears.example'],
    providers: [{ aescbc: keys(32, 16) }, { aesgcm: keys(24) }, { secretbox: keys(32) }, { identity: {} }],
  },
  { resources: ['events', 'deployments.apps', '*.apps'], providers: [{ identity: {} }, { secretbox: keys(32, 32) }] },
  { resources: ['*.*'], providers: [{ secretbox: keys(32) }] },
];
const plugins = [
  { resources: ['secrets'], providers: [kms({ name: 'a', timeout: '3s' }), kms({ name: 'b', timeout: '1m' })] },
  {
    resources: ['leases.coordination.k8s.io'],
    providers: [kms({ name: 'c', apiVersion: 'v1', cachesize: 10 }), { identity: {} }],
  },
];

/** Valid files by type. */
const FILES = {
  authentication: ['v1', 'v1beta1', 'v1alpha1'].map((version) =>
    versioned(version, 'AuthenticationConfiguration', {
      jwt: jwts,
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    }),
  ),
  authorization: ['v1', 'v1beta1', 'v1alpha1'].map((version) =>
    versioned(version, 'AuthorizationConfiguration', { authorizers }),
  ),
  audit: [policy],
  encryption: [encryptions, plugins].map((resources) => versioned('v1', 'EncryptionConfiguration', { resources })),
  reloadableEncryption: [encryptions, plugins].map((resources) =>
    versioned('v1', 'EncryptionConfiguration', { resources }),
  ),
  tracing: ['v1', 'v1beta1', 'v1alpha1'].map((version) =>
    versioned(version, 'TracingConfiguration', { endpoint: 'localhost:4317', samplingRatePerMillion: 100 }),
  ),
  egress: ['v1beta1', 'v1alpha1'].map((version) =>
    versioned(version, 'EgressSelectorConfiguration', { egressSelections }),
  ),
  admission: [
    versioned('v1', 'AdmissionConfiguration', {
      plugins: [
        { name: 'A', path: existing },
        { name: 'B', configuration: { apiVersion: 'x', kind: 'Y', a: 1 } },
      ],
    }),
    { apiVersion: 'apiserver.k8s.io/v1alpha1', kind: 'AdmissionConfiguration', plugins: [{ name: 'A', path: '' }] },
  ],
  podSecurity: ['v1', 'v1beta1', 'v1alpha1'].map((version) => ({
    apiVersion: `pod-security.admission.config.k8s.io/${version}`,
    kind: 'PodSecurityConfiguration',
    defaults: {
      enforce: 'baseline',
      'enforce-version': 'latest',
      audit: 'restricted',
      'audit-version': 'v1.30',
      warn: 'privileged',
      'warn-version': 'v1.0',
    },
    exemptions: { usernames: ['a', 'b'], runtimeClasses: ['r'], namespaces: ['n', 'kube-system'] },
  })),
  resourceQuota: [
    versioned('v1', 'ResourceQuotaConfiguration', {
      limitedResources: [
        {
          apiGroup: '',
          resource: 'pods',
          matchContains: ['cpu'],
          matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
        },
      ],
    }),
    {
      apiVersion: 'resourcequota.admission.k8s.io/v1beta1',
      kind: 'Configuration',
      limitedResources: [{ resource: 'services' }],
    },
  ],
} as const satisfies Record<string, readonly object[]>;
const TYPES = Object.keys(FILES) as [keyof typeof FILES];

interface FileCase {
  readonly type: keyof typeof FILES;
  readonly path: string;
  readonly text: string;
}

let files = 0;

function randomCase(random: Random): FileCase {
  const type = random.of(TYPES);
  const value = mutatedValue(random, random.of(FILES[type] as unknown as readonly [object, ...object[]]));
  const path = join(folder.path, `config-${++files % 1_000}`);
  const text = textOf(random, type, value as object);
  return { type, path, text };
}

/** Parsers of YAML disagree about odd texts. Plugins get their configurations parsed. */
function textOf(random: Random, type: string, value: object): string {
  const json = JSON.stringify(value);
  // In the order of YAML.
  if (type === 'podSecurity' || type === 'resourceQuota') return JSON.stringify(value, inOrder);
  const kind = random.next();
  if (kind < 0.3) return encodeYaml(value).toString();
  if (kind < 0.4) return mutated(random, json);
  // A member that comes twice.
  return kind < 0.45 ? json.replace(/"(\w+)":("[^"]*"|true|\d+)/, '$&,$&') : json;
}

const expressions = new ExpressionCompiler();
const conditions = conditionCompiler();
const known = { compiler: expressions, disallowedIssuers: ['https://own.example'], egressSelector: true };

const fieldFaults = (errors: Parameters<typeof aggregateFieldErrors>[0]) => {
  if (errors.length > 0) throw new TypeError(aggregateFieldErrors(errors));
};

const metrics = createEncryptionMetrics(new MetricsRegistry(), { serverId: 'id', now: Date.now });

/** Makes the transformers, unless that would start plugins. */
async function readEncryption({ path, text }: FileCase, reload: boolean): Promise<void> {
  if (/kms/i.test(text)) await loadConfiguration(path, reload);
  else await loadTransformerSet({ file: path, reload }, { clock: systemClock, logger: silentLogger, metrics });
}

const readers: Record<keyof typeof FILES, (file: FileCase) => unknown> = {
  authentication: ({ text }) =>
    fieldFaults(validateConfiguration(decodeAuthenticationConfiguration(Buffer.from(text)), known).errors),
  authorization: ({ text }) => loadAuthorization(Buffer.from(text), { compiler: conditions }),
  audit: ({ text }) => loadPolicy(Buffer.from(text), silentLogger),
  encryption: (file) => readEncryption(file, false),
  reloadableEncryption: (file) => readEncryption(file, true),
  tracing: ({ path }) => readTracingConfiguration(path),
  egress: ({ path }) => fieldFaults(validateEgressConfiguration(readEgressConfiguration(path))),
  admission: ({ path }) => readAdmissionConfiguration(path),
  podSecurity: ({ text }) => podSecurityConfiguration(JSON.parse(text)),
  resourceQuota: ({ text }) => limitedResourcesOf(JSON.parse(text)),
};

async function ours(file: FileCase): Promise<string> {
  try {
    await readers[file.type](file);
    return '';
  } catch (error) {
    return comparable(messageOf(error));
  }
}

/** Callers add a beginning to some messages. A program has schemes of its own. */
function comparable(message: string): string {
  return (
    message
      // The kube-apiserver's own rule.
      .replace(/^(?:\[?expected name .*|missing required types.*)/, '')
      .replace(/^Couldn't open admission plugin configuration .*/, '')
      .replace(
        /^(?:failed to load AuthorizationConfiguration from file|failed to read tracing config|failed to validate tracing configuration|PodSecurity (?:invalid|configuration error)): /,
        '',
      )
      .replaceAll(/in scheme "[^"]*"/g, 'in scheme')
      // The members of a plugin's configuration have an order of their own.
      .replace(/( is missing in )'.*'$/s, '$1')
  );
}

const theirs = ({ error = '' }: { readonly error?: string }) => comparable(error);

describeUpstream('configurations', (upstream) => {
  it('are taken and refused as by upstream', () => {
    const asked: Upstream = {
      ask: (area, question) => {
        const { path, text } = question as FileCase;
        writeFileSync(path, text);
        return upstream().ask(area, question);
      },
    };
    return compareCases<FileCase, string>(asked, {
      area: 'configuration',
      randomCase,
      ours: (one) => {
        writeFileSync(one.path, one.text);
        return ours(one);
      },
      theirs,
      difference: (their, our, { type, text }) => {
        // Parsers of YAML disagree about broken JSON. Upstream's server refuses an empty file before its decoder does.
        const isEmpty = type === 'authentication' && text === '';
        const isKnown = isEmpty || (their.includes('yaml: ') && our.includes('yaml: '));
        return isKnown || their === our ? undefined : { type, text, theirs: their, ours: our };
      },
    });
  });
});
