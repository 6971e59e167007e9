import { certificateRequests } from '@apiserver/apimachinery/testing';
import { pemContent } from '../../pem-content.js';
import { CERTIFICATE } from '../../self-signed-pair.js';
import type { FullObject } from '../full-object.js';

const admission = 'admissionregistration.k8s.io/v1';
const rbac = 'rbac.authorization.k8s.io';
const LABELS = { matchLabels: { a: 'b' } };
const RULE = {
  operations: ['CREATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
  scope: '*',
};
const CONDITION = { name: 'c.example.com', expression: 'object != null' };
const CLIENT = { service: { namespace: 'ns', name: 's', path: '/p', port: 443 } };
const WEBHOOK = {
  name: 'a.example.com',
  clientConfig: CLIENT,
  rules: [RULE],
  failurePolicy: 'Fail',
  matchPolicy: 'Exact',
  namespaceSelector: LABELS,
  objectSelector: LABELS,
  sideEffects: 'None',
  timeoutSeconds: 10,
  admissionReviewVersions: ['v1'],
  matchConditions: [CONDITION],
};
const WEBHOOK_CHANGES = [
  { clientConfig: {} },
  { clientConfig: { url: 'https://h.example.com/p' } },
  { clientConfig: { url: 'http://h.example.com/p' } },
  { clientConfig: { url: 'https://h.example.com/p?a' } },
  { clientConfig: { url: 'https://h.example.com/p#a' } },
  { clientConfig: { url: 'https://u@h.example.com/p' } },
  { clientConfig: { url: 'https:///p' } },
  { clientConfig: { ...CLIENT, url: 'https://h.example.com/p' } },
  { timeoutSeconds: 30 },
  { timeoutSeconds: 31 },
  { name: 'example.com' },
  { admissionReviewVersions: ['v1', 'v1'] },
  { admissionReviewVersions: ['v3'] },
  { admissionReviewVersions: ['v3', 'v1beta1'] },
  { sideEffects: 'Some' },
  { rules: [{ ...RULE, operations: ['*', 'CREATE'] }] },
  { rules: [{ ...RULE, apiGroups: ['*', 'apps'] }] },
  { rules: [{ ...RULE, apiVersions: ['*', 'v1'] }] },
  { rules: [{ ...RULE, resources: ['*', 'pods'] }] },
  { rules: [{ ...RULE, resources: ['*/*', 'pods/status'] }] },
  { rules: [{ ...RULE, resources: ['pods/*', 'pods/status'] }] },
  { rules: [{ ...RULE, resources: ['*/status', 'pods/status'] }] },
  { rules: [{ ...RULE, resources: ['pods', 'pods'] }] },
  { rules: [{ ...RULE, resources: ['pods', 'pods/status'] }] },
  { matchConditions: [CONDITION, CONDITION] },
  { matchConditions: [{ ...CONDITION, expression: '1' }] },
  { matchConditions: [{ ...CONDITION, expression: 'object.' }] },
  { matchConditions: Array.from({ length: 65 }, (_, i) => ({ ...CONDITION, name: `c${i}` })) },
  { matchConditions: Array.from({ length: 64 }, (_, i) => ({ ...CONDITION, name: `c${i}` })) },
].map((change) => ({ webhooks: [{ ...WEBHOOK, ...change }] }));

const RESOURCES = {
  namespaceSelector: LABELS,
  objectSelector: LABELS,
  matchPolicy: 'Equivalent',
  resourceRules: [RULE],
  excludeResourceRules: [{ ...RULE, resourceNames: ['n'] }],
};
const PARAM_REF = { name: 'p', namespace: 'ns', parameterNotFoundAction: 'Deny' };
const VARIABLES = [{ name: 'v', expression: 'object.metadata.name' }];
const PARAMS = [
  { 'spec.paramRef': { selector: LABELS, parameterNotFoundAction: 'Allow' } },
  { 'spec.paramRef': { ...PARAM_REF, selector: LABELS } },
  { 'spec.paramRef': { parameterNotFoundAction: 'Deny' } },
  { 'spec.paramRef': { name: 'p' } },
  { 'spec.paramRef': { name: 'p', parameterNotFoundAction: 'Near' } },
];

const VALIDATION = { expression: 'variables.v != "x"', message: 'm', reason: 'Invalid', messageExpression: '"m"' };
const LIMITED = {
  nominalConcurrencyShares: 10,
  lendablePercent: 50,
  borrowingLimitPercent: 10,
  limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
};
const ACCOUNT = { kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'n' } };
const FLOW_RULE = {
  subjects: [ACCOUNT, { kind: 'User', user: { name: 'u' } }, { kind: 'Group', group: { name: 'g' } }],
  resourceRules: [{ verbs: ['get'], apiGroups: ['apps'], resources: ['pods'], namespaces: ['ns'], clusterScope: true }],
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/a/*'] }],
};
const POLICY_RULES = [
  { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'], resourceNames: ['d'] },
];
const SUBJECTS = [
  { kind: 'ServiceAccount', name: 's', namespace: 'ns' },
  { kind: 'User', name: 'u', apiGroup: rbac },
  { kind: 'Group', name: 'g', apiGroup: rbac },
];

const TIME = '2030-01-01T00:00:00Z';
const TIMES = { lastUpdateTime: TIME, lastTransitionTime: TIME };

export const clusterObjects: readonly FullObject[] = [
  {
    apiVersion: admission,
    kind: 'ValidatingWebhookConfiguration',
    fields: { webhooks: [WEBHOOK] },
    also: [...WEBHOOK_CHANGES, { webhooks: [WEBHOOK, WEBHOOK] }],
  },
  {
    apiVersion: admission,
    kind: 'MutatingWebhookConfiguration',
    fields: { webhooks: [{ ...WEBHOOK, reinvocationPolicy: 'IfNeeded' }] },
    also: WEBHOOK_CHANGES,
  },
  {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicy',
    fields: {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: RESOURCES,
        failurePolicy: 'Fail',
        validations: [VALIDATION],
        variables: VARIABLES,
        matchConditions: [CONDITION],
        auditAnnotations: [{ key: 'k', valueExpression: '"v"' }],
      },
      status: {
        observedGeneration: 1,
        typeChecking: { expressionWarnings: [{ fieldRef: 'spec', warning: 'w' }] },
        conditions: [{ type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: '2030-01-01T00:00:00Z' }],
      },
    },
    also: [
      { 'spec.validations': undefined },
      { 'spec.validations': undefined, 'spec.auditAnnotations': undefined },
      { 'spec.validations': [{ expression: '1' }] },
      { 'spec.validations': [{ expression: 'true', message: 'a\nb' }] },
      { 'spec.validations': [{ expression: 'true\n  && true' }] },
      { 'spec.validations': [{ expression: 'true', messageExpression: '1' }] },
      { 'spec.validations': [{ expression: 'params.a == 1', reason: 'Unauthorized' }] },
      { 'spec.paramKind': undefined, 'spec.validations': [{ expression: 'params.a == 1' }] },
      { 'spec.variables': [{ name: '1v', expression: 'true' }] },
      { 'spec.variables': [{ name: 'v', expression: 'nothing' }] },
      { 'spec.variables': [...VARIABLES, ...VARIABLES] },
      { 'spec.auditAnnotations': [{ key: 'k', valueExpression: '1' }] },
      { 'spec.auditAnnotations': [{ key: 'k', valueExpression: 'b'.repeat(5121) }] },
      {
        'spec.auditAnnotations': [
          { key: 'k', valueExpression: '"v"' },
          { key: 'k', valueExpression: '"v"' },
        ],
      },
      { 'spec.auditAnnotations': Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: '"v"' })) },
      { 'spec.paramKind': { apiVersion: 'a/b/c', kind: 'K' } },
      { 'spec.matchConstraints': {} },
      { 'spec.matchConstraints.resourceRules': [{ ...RULE, operations: ['CONNECT', '*'] }] },
      { 'spec.matchConstraints.resourceRules': [{ ...RULE, resourceNames: ['n', 'n'] }] },
    ],
  },
  {
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    fields: {
      spec: { policyName: 'p', paramRef: PARAM_REF, matchResources: RESOURCES, validationActions: ['Deny', 'Audit'] },
    },
    also: [...PARAMS, { 'spec.validationActions': ['Deny', 'Warn'] }, { 'spec.validationActions': ['Warn', 'Warn'] }],
  },
  {
    apiVersion: admission,
    kind: 'MutatingAdmissionPolicy',
    fields: {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: RESOURCES,
        failurePolicy: 'Fail',
        variables: VARIABLES,
        matchConditions: [CONDITION],
        reinvocationPolicy: 'Never',
        mutations: [
          { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } },
          { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec"}]' } },
        ],
      },
    },
    also: [
      { 'spec.mutations': [{ patchType: 'JSONPatch', jsonPatch: { expression: 'Object{}' } }] },
      { 'spec.mutations': [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: '1' } }] },
      { 'spec.mutations': [{ patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } }] },
      { 'spec.mutations': [{ patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }] },
      { 'spec.mutations': [{ patchType: 'Near' }] },
      { 'spec.matchConstraints': {} },
      { 'spec.variables': [{ name: 'v', expression: 'nothing' }] },
    ],
  },
  {
    apiVersion: admission,
    kind: 'MutatingAdmissionPolicyBinding',
    fields: { spec: { policyName: 'p', paramRef: PARAM_REF, matchResources: RESOURCES } },
    also: PARAMS,
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    fields: {
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        matchingPrecedence: 100,
        rules: [FLOW_RULE],
        distinguisherMethod: { type: 'ByUser' },
      },
      status: { conditions: [{ type: 'Dangling', status: 'True', reason: 'R' }] },
    },
    also: [
      { 'spec.matchingPrecedence': 10_000 },
      { 'spec.matchingPrecedence': 10_001 },
      { 'spec.rules': [{ ...FLOW_RULE, subjects: [] }] },
      { 'spec.rules': [{ subjects: [ACCOUNT] }] },
      { 'spec.rules': [{ ...FLOW_RULE, subjects: [{ kind: 'User', group: { name: 'g' } }] }] },
      { 'spec.rules': [{ ...FLOW_RULE, subjects: [{ kind: 'Group', user: { name: 'g' } }] }] },
      { 'spec.rules': [{ ...FLOW_RULE, subjects: [{ ...ACCOUNT, user: { name: 'u' }, group: { name: 'g' } }] }] },
      {
        'spec.rules': [
          { ...FLOW_RULE, subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: '*', name: '*' } }] },
        ],
      },
      ...[['*'], ['*', 'get'], ['near'], []].map((verbs) => ({
        'spec.rules': [
          {
            ...FLOW_RULE,
            resourceRules: [{ ...FLOW_RULE.resourceRules[0], verbs }],
            nonResourceRules: [{ ...FLOW_RULE.nonResourceRules[0], verbs }],
          },
        ],
      })),
      ...['*', '/', '//a', '/a b', '/a/*/b', 'a', '/a*', '/a/', ''].map((url) => ({
        'spec.rules': [{ subjects: [ACCOUNT], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [url] }] }],
      })),
      { 'spec.rules': [{ subjects: [ACCOUNT], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*', '/a'] }] }] },
      ...['apiGroups', 'resources', 'namespaces'].map((field) => ({
        'spec.rules': [
          { subjects: [ACCOUNT], resourceRules: [{ ...FLOW_RULE.resourceRules[0], [field]: ['*', 'a'] }] },
        ],
      })),
    ],
  },
  ...['exempt', 'catch-all'].map((name) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    name,
    skipped: ['spec', 'status'],
    fields: { spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 1 } },
  })),
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    fields: {
      spec: { type: 'Limited', limited: LIMITED },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'R' }] },
    },
    also: [
      { 'spec.exempt': { nominalConcurrencyShares: 1 } },
      { 'spec.type': 'Exempt' },
      { 'spec.limited': { ...LIMITED, limitResponse: { type: 'Reject' } } },
      { 'spec.limited.limitResponse.type': 'Reject' },
      { 'spec.limited.limitResponse.queuing': undefined },
      { 'spec.limited.limitResponse.queuing': { queues: 10_000_000, handSize: 2, queueLengthLimit: 1 } },
      { 'spec.limited.limitResponse.queuing': { queues: 10_000_001, handSize: 2, queueLengthLimit: 1 } },
      { 'spec.limited.limitResponse.queuing': { queues: 4, handSize: 5, queueLengthLimit: 1 } },
      { 'spec.limited.limitResponse.queuing': { queues: 10_000_000, handSize: 8, queueLengthLimit: 1 } },
      { 'spec.limited.lendablePercent': 100 },
    ],
  },
  ...['exempt', 'catch-all'].map((name) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    name,
    skipped: ['status'],
    fields: { spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
    also: [{ 'spec.limited': LIMITED }, { 'spec.type': 'Limited', 'spec.exempt': undefined, 'spec.limited': LIMITED }],
  })),
  {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    fields: {
      spec: {
        request: Buffer.from(certificateRequests.ed25519).toString('base64'),
        signerName: 'example.com/signer',
        usages: ['client auth', 'digital signature'],
        expirationSeconds: 600,
        username: 'u',
        uid: 'u',
        groups: ['g'],
        extra: { a: ['b'] },
      },
      status: {
        conditions: [{ type: 'Approved', status: 'True', reason: 'R', message: 'm', ...TIMES }],
        certificate: Buffer.from(CERTIFICATE).toString('base64'),
      },
    },
    also: [
      { 'spec.expirationSeconds': 599 },
      { 'spec.usages': ['near'] },
      { 'spec.signerName': 'kubernetes.io/legacy-unknown' },
      { 'spec.signerName': 'example.com/a/b' },
      { 'spec.signerName': `example.com/${'b'.repeat(254)}.c` },
      { 'spec.signerName': 'Example.com/a' },
      { 'spec.signerName': 'example' },
      { 'spec.request': 'eA==' },
      {
        'status.conditions': [
          { type: 'Approved', status: 'True' },
          { type: 'Denied', status: 'True' },
        ],
      },
      { 'status.conditions': [{ type: 'Approved', status: 'False' }] },
      { 'status.conditions': [{ type: 'Failed', status: 'Unknown' }] },
      { 'status.conditions': [{ type: 'Other', status: 'Unknown' }] },
      { 'status.conditions': undefined },
      { 'status.certificate': 'eA==' },
      { 'status.certificate': undefined },
    ],
  },
  {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    name: 'example.com:signer:a',
    fields: { spec: { signerName: 'example.com/signer', trustBundle: CERTIFICATE } },
    also: [
      { 'spec.signerName': undefined },
      { 'spec.trustBundle': `${CERTIFICATE}${CERTIFICATE}` },
      { 'spec.trustBundle': CERTIFICATE.replaceAll('CERTIFICATE', 'KEY') },
      { 'spec.trustBundle': '-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n' },
    ],
  },
  {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    fields: {
      spec: {
        signerName: 'example.com/signer',
        podName: 'p',
        podUID: 'p',
        serviceAccountName: 's',
        serviceAccountUID: 's',
        nodeName: 'n',
        nodeUID: 'n',
        maxExpirationSeconds: 3600,
        stubPKCS10Request: pemContent(certificateRequests.ed25519),
        unverifiedUserAnnotations: { 'example.com/a': 'b' },
      },
      status: {
        conditions: [{ type: 'Denied', status: 'True', reason: 'R', message: 'm', lastTransitionTime: TIME }],
      },
    },
    also: [
      { 'spec.maxExpirationSeconds': 3599 },
      { 'spec.maxExpirationSeconds': 91 * 86_400 + 1 },
      { 'spec.signerName': 'kubernetes.io/a', 'spec.maxExpirationSeconds': 86_401 },
      { 'spec.podUID': 'p'.repeat(129) },
      { 'spec.unverifiedUserAnnotations': { a: 'b' } },
      { 'spec.pkixPublicKey': 'eA==' },
      { 'spec.stubPKCS10Request': undefined, 'spec.pkixPublicKey': 'eA==', 'spec.proofOfPossession': 'eA==' },
      { 'spec.stubPKCS10Request': pemContent(certificateRequests.rsa) },
      { 'status.conditions': [{ type: 'Odd', status: 'True', reason: 'R', message: 'm', lastTransitionTime: TIME }] },
      { 'status.certificateChain': 'x' },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    fields: { rules: POLICY_RULES },
    also: [{ rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] }, { rules: [{ verbs: ['get'] }] }],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    fields: {
      rules: [...POLICY_RULES, { verbs: ['get'], nonResourceURLs: ['/a'] }],
      aggregationRule: { clusterRoleSelectors: [LABELS] },
    },
    also: [
      { rules: [{ ...POLICY_RULES[0], nonResourceURLs: ['/a'] }] },
      { aggregationRule: {} },
      { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }] } },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    fields: { subjects: SUBJECTS, roleRef: { apiGroup: rbac, kind: 'Role', name: 'r' } },
    also: [
      { roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'r' } },
      { roleRef: { apiGroup: rbac, kind: 'Role', name: 'other' } },
      { roleRef: { apiGroup: rbac, kind: 'Role', name: 'a/b' } },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    fields: { subjects: SUBJECTS, roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'r' } },
    also: [
      { roleRef: { apiGroup: rbac, kind: 'Role', name: 'r' } },
      { roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'other' } },
    ],
  },
];
