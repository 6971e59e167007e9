import type { PersistentVolume, Pod } from '@apiserver/api/core/v1';
import { parseFieldSelector } from '@apiserver/apimachinery/selectors';
import type { AuthorizationAttributes, Authorizer, Logger } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { authorizerSuite } from '../testing/authorizer-suite.js';
import { type NodeAuthorizerOptions, nodeAuthorizer } from './node-authorizer.js';
import { NodeGraph } from './node-graph.js';

const logged: unknown[] = [];
const logger: Logger = {
  info: (message, fields) => void logged.push([message, fields]),
  warning: () => {},
  error: () => {},
  v: (level) => (level <= 2 ? logger : undefined),
  named: () => logger,
};

/** Node n1 has a pod with references of every kind; n2 has a pod with some of its own, and a mirror pod. */
function cluster(): NodeGraph {
  const graph = new NodeGraph();
  const own: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name: 'p1', uid: 'u1' },
    spec: {
      nodeName: 'n1',
      serviceAccountName: 'sa1',
      imagePullSecrets: [{ name: 'pull' }],
      containers: [
        {
          name: 'c',
          resources: {},
          envFrom: [{ configMapRef: { name: 'env' } }, { secretRef: { name: 'env' } }],
          env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }],
        },
      ],
      volumes: [
        { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'scratch', ephemeral: {} },
        { name: 'projected', projected: { sources: [{ configMap: { name: 'in-projection' } }] } },
      ],
      resourceClaims: [
        { name: 'gpu', resourceClaimName: 'gpu' },
        { name: 'made', resourceClaimTemplateName: 't' },
        { name: 'unmade', resourceClaimTemplateName: 't' },
      ],
    },
    status: {
      resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'p1-made' }, { name: 'unmade' }],
      extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: 'extended' },
    },
  };
  const other: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name: 'p2' },
    spec: { nodeName: 'n2', serviceAccountName: 'sa2', imagePullSecrets: [{ name: 'pull' }], containers: [] },
    status: {},
  };
  const mirror: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name: 'mirror', annotations: { 'kubernetes.io/config.mirror': '' } },
    spec: { nodeName: 'n2', imagePullSecrets: [{ name: 'stolen' }], containers: [] },
    status: {},
  };
  for (const pod of [own, other, mirror]) graph.setPod(pod);
  graph.setPod({ ...other, metadata: { namespace: 'ns', name: 'unscheduled' }, spec: { containers: [] } });
  const volume: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv1' },
    status: {},
    spec: {
      claimRef: { namespace: 'ns', name: 'data' },
      csi: {
        driver: 'd',
        volumeHandle: 'h',
        nodeStageSecretRef: { namespace: 'csi', name: 'stage' },
        controllerPublishSecretRef: { namespace: 'csi', name: 'controller' },
      },
    },
  };
  graph.setVolume(volume);
  graph.setVolume({ ...volume, metadata: { name: 'free' }, spec: {} });
  graph.setNodeOf('volumeattachment', { name: 'va1' }, 'n1');
  graph.setNodeOf('resourceslice', { name: 'slice1' }, 'n1');
  graph.setNodeOf('podcertificaterequest', { namespace: 'ns', name: 'pcr1' }, 'n1');
  graph.setNodeOf('podcertificaterequest', { namespace: 'ns', name: 'pcr2' }, 'n2');
  return graph;
}

const options: NodeAuthorizerOptions = {
  graph: cluster(),
  rulesAllow: ({ resource, verb, path }) => (resource === 'services' && verb === 'list') || path === '/shared',
  logger,
};
const authorizer = nodeAuthorizer(options);

authorizerSuite('the Node authorizer', () => authorizer);

/** The decision on `verb group/resource/subresource namespace/name field-selector`; the reason if it is not allowed. */
async function ask(text: string, node = 'n1', by: Authorizer = authorizer): Promise<string> {
  const [verb = '', path = '', object = '', selector = ''] = text.split(' ');
  const [group = '', resource = '', subresource = ''] = path.split('/');
  const slash = object.indexOf('/');
  const attributes: AuthorizationAttributes = testAttributes({
    user: { name: `system:node:${node}`, groups: ['system:nodes'], extra: {} },
    verb,
    apiGroup: group,
    resource,
    subresource,
    readOnly: ['get', 'list', 'watch'].includes(verb),
    namespace: slash < 0 ? '' : object.slice(0, slash),
    name: object.slice(slash + 1),
    ...(selector === '' ? {} : { fieldSelector: parseFieldSelector(selector) }),
  });
  const { decision, reason } = await by.authorize(attributes);
  return decision === 'Allow' ? decision : reason;
}

const unrelated = "no relationship found between node 'n1' and this object";
const slices = 'can only list/watch/deletecollection resourceslices with nodeName field selector';
const pods = 'can only list/watch pods with spec.nodeName field selector';
const requests = 'can only list/watch podcertificaterequests with nodeName field selector';
const ofStatus = 'nodes may not access the status subresource of PodCertificateRequests';
const sliceVerbs =
  'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';

describe('the Node authorizer', () => {
  it.each<[question: string, answer: string]>([
    ['get /secrets ns/pull', 'Allow'],
    ['get /secrets ns/env', 'Allow'],
    ['list /secrets ns/key', 'Allow'],
    ['watch /secrets ns/key', 'Allow'],
    ['get /secrets csi/stage', 'Allow'],
    ['get /secrets csi/controller', unrelated],
    ['get /secrets ns/stolen', unrelated],
    ['get /secrets ns/unknown', unrelated],
    ['get /secrets other/pull', unrelated],
    ['list /secrets ns/', 'No Object name found'],
    ['list /secrets', 'can only read namespaced object of this type'],
    ['update /secrets ns/pull', 'can only read resources of this type'],
    ['get /secrets/x ns/pull', 'cannot read subresource'],
    ['get /configmaps ns/env', 'Allow'],
    ['get /configmaps ns/in-projection', 'Allow'],
    ['get /configmaps ns/pull', unrelated],
    ['get /persistentvolumeclaims ns/data', 'Allow'],
    ['get /persistentvolumeclaims ns/p1-scratch', 'Allow'],
    ['list /persistentvolumeclaims ns/data', 'can only get individual resources of this type'],
    ['get /persistentvolumeclaims/x ns/data', 'cannot get subresource'],
    ['patch /persistentvolumeclaims/status ns/data', 'Allow'],
    ['get /persistentvolumeclaims/status ns/data', 'can only get/update/patch this type'],
    ['update /persistentvolumeclaims/status ns/else', unrelated],
    ['get /persistentvolumes pv1', 'Allow'],
    ['get /persistentvolumes free', unrelated],
    ['get resource.k8s.io/resourceclaims ns/gpu', 'Allow'],
    ['get resource.k8s.io/resourceclaims ns/p1-made', 'Allow'],
    ['get resource.k8s.io/resourceclaims ns/extended', 'Allow'],
    ['get resource.k8s.io/resourceclaims ns/unmade', unrelated],
    ['get storage.k8s.io/volumeattachments va1', 'Allow'],
    ['get storage.k8s.io/volumeattachments va2', unrelated],
    ['get /serviceaccounts ns/sa1', 'Allow'],
    ['get /serviceaccounts ns/sa2', unrelated],
    ['list /serviceaccounts ns/sa1', 'can only create tokens for individual service accounts'],
    ['create /serviceaccounts/token ns/sa1', 'Allow'],
    ['create /serviceaccounts/token ns/sa2', unrelated],
    ['create /serviceaccounts/token ns/', 'can only create tokens for individual service accounts'],
    ['create /serviceaccounts ns/sa1', 'can only create token subresource of serviceaccount'],
    ['update coordination.k8s.io/leases kube-node-lease/n1', 'Allow'],
    ['create coordination.k8s.io/leases kube-node-lease/', 'Allow'],
    ['list coordination.k8s.io/leases kube-node-lease/', 'can only get, create, update, patch, or delete a node lease'],
    ['get coordination.k8s.io/leases ns/n1', 'can only access leases in the "kube-node-lease" system namespace'],
    [
      'get coordination.k8s.io/leases kube-node-lease/n2',
      'can only access node lease with the same name as the requesting node',
    ],
    ['delete storage.k8s.io/csinodes n1', 'Allow'],
    ['get storage.k8s.io/csinodes n2', 'can only access CSINode with the same name as the requesting node'],
    ['list storage.k8s.io/csinodes', 'can only get, create, update, patch, or delete a CSINode'],
    ['get storage.k8s.io/csinodes/x n1', 'cannot authorize CSINode subresources'],
    ['create resource.k8s.io/resourceslices', 'Allow'],
    ['update resource.k8s.io/resourceslices slice1', 'Allow'],
    ['update resource.k8s.io/resourceslices slice2', unrelated],
    ['deletecollection resource.k8s.io/resourceslices', slices],
    ['list resource.k8s.io/resourceslices  spec.nodeName=n1', 'Allow'],
    ['list resource.k8s.io/resourceslices  spec.nodeName=n2', slices],
    ['list resource.k8s.io/resourceslices  spec.nodeName!=n1', slices],
    ['impersonate resource.k8s.io/resourceslices slice1', sliceVerbs],
    ['get resource.k8s.io/resourceslices/x slice1', 'cannot authorize ResourceSlice subresources'],
    ['get /nodes n1', 'Allow'],
    ['watch /nodes n1', 'Allow'],
    ['create /nodes', 'Allow'],
    ['update /nodes n2', 'Allow'],
    ['patch /nodes n2', 'Allow'],
    ['update /nodes/status n2', 'Allow'],
    ['patch /nodes/status n2', 'Allow'],
    ['get /nodes/status n1', ''],
    ['delete /nodes n1', ''],
    ['get /nodes/proxy n1', ''],
    ['get /nodes n2', "node 'n1' cannot read 'n2', only its own Node object"],
    ['list /nodes', "node 'n1' cannot read all nodes, only its own Node object"],
    ['get /pods ns/p1', 'Allow'],
    ['get /pods ns/p2', unrelated],
    ['list /pods', pods],
    ['list /pods  spec.nodeName=n1', 'Allow'],
    ['watch /pods  status.phase=Running,spec.nodeName==n1', 'Allow'],
    ['list /pods  spec.nodeName=n2', pods],
    ['list /pods ns/p1', 'Allow'],
    ['list /pods ns/p2', unrelated],
    ['create /pods ns/', 'Allow'],
    ['delete /pods ns/p2', 'Allow'],
    ['update /pods ns/p1', ''],
    ['update /pods/status ns/p2', 'Allow'],
    ['patch /pods/status ns/p2', 'Allow'],
    ['get /pods/status ns/p2', ''],
    ['create /pods/eviction ns/p2', 'Allow'],
    ['delete /pods/eviction ns/p2', ''],
    ['create /pods/exec ns/p1', ''],
    ['list /services', 'Allow'],
    ['delete /services ns/s', ''],
  ])('%s: %s', async (question, answer) => {
    expect(await ask(question)).toBe(answer);
  });

  it.each<[question: string, answer: string]>([
    ['create ns/', 'Allow'],
    ['get ns/pcr1', 'Allow'],
    ['get ns/pcr2', unrelated],
    ['get other/pcr1', unrelated],
    ['get ns/', 'No Object name found'],
    ['list ns/', requests],
    ['list ns/ spec.nodeName=n1', 'Allow'],
    ['watch  spec.podName=p,spec.nodeName==n1', 'Allow'],
    ['watch  spec.nodeName=n2', requests],
    ['list  spec.nodeName!=n1', requests],
    ['list ns/pcr1', requests],
    ['update ns/pcr1', 'nodes may not update podcertificaterequests'],
    ['deletecollection ns/ spec.nodeName=n1', 'nodes may not deletecollection podcertificaterequests'],
    ['get/status ns/pcr1', ofStatus],
    ['create/other ns/pcr1', ofStatus],
  ])('on PodCertificateRequests, %s: %s', async (question, answer) => {
    const [verb = '', ...rest] = question.split(' ');
    const [what, subresource] = verb.split('/');
    const resource = ['certificates.k8s.io/podcertificaterequests', ...(subresource ? [subresource] : [])].join('/');
    const asked = [what, resource, ...rest].join(' ');
    const enabled = nodeAuthorizer({ ...options, podCertificateRequests: true });
    expect([await ask(asked, 'n1', enabled), await ask(asked)]).toEqual([answer, '']);
  });

  it('has no opinion on users that are not nodes, and refuses a node without a name', async () => {
    const groups = ['system:nodes'];
    const asked = (name: string, inGroups: string[]) =>
      authorizer.authorize(testAttributes({ user: { name, groups: inGroups, extra: {} }, path: '/shared' }));
    expect([
      await asked('bob', groups),
      await asked('system:node:n1', []),
      await asked('system:node:', groups),
      await authorizer.authorize(
        testAttributes({
          user: { name: 'system:node:n1', groups, extra: {} },
          isResourceRequest: false,
          path: '/shared',
        }),
      ),
    ]).toEqual([
      { decision: 'NoOpinion', reason: '' },
      { decision: 'NoOpinion', reason: '' },
      { decision: 'NoOpinion', reason: 'unknown node for user "system:node:"' },
      { decision: 'Allow', reason: '' },
    ]);
  });

  it('logs why there is no relation', async () => {
    const notes = async (question: string, node?: string) => {
      logged.length = 0;
      await ask(question, node);
      return logged;
    };
    const err = (text: string) => ['NODE DENY', { err: text }];
    expect(await notes('get /secrets ns/sa', 'n9')).toEqual([err("unknown node 'n9' cannot get secret ns/sa")]);
    expect(await notes('get /secrets ns/sa')).toEqual([err("node 'n1' cannot get unknown secret ns/sa")]);
    expect(await notes('get /secrets ns/key', 'n2')).toEqual([
      err("node 'n2' cannot get secret ns/key, no relationship to this object was found in the node authorizer graph"),
    ]);
    expect(await notes('list /pods')).toEqual([
      ["NODE DENY: 'n1'", { verb: 'list', apiGroup: '', resource: 'pods', subresource: '', namespace: '', name: '' }],
    ]);
  });

  it('does not list the rules of nodes', async () => {
    const rulesOf = (name: string) => authorizer.rulesFor({ name, groups: ['system:nodes'], extra: {} }, 'ns');
    expect((await rulesOf('bob')).incomplete).toBe(false);
    expect(await rulesOf('system:node:n1')).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      errors: [new Error('node authorizer does not support user rule resolution')],
    });
  });
});
