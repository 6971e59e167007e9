import { quote } from '@apiserver/apimachinery/text';
import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  type Authorizer,
  type Logger,
  nodeNameOf,
  type RuleResolver,
} from '@apiserver/apiserver-contracts';
import type { NodeAuthorizerFeatures } from './graph-sinks.js';
import type { GraphKind, NodeGraph } from './node-graph.js';

/** Dependencies of the Node authorizer. */
export interface NodeAuthorizerOptions extends NodeAuthorizerFeatures {
  readonly graph: Pick<NodeGraph, 'missingRelation'>;
  /** Reports whether the rules that all nodes share allow a request. */
  readonly rulesAllow: (attributes: AuthorizationAttributes) => boolean;
  readonly logger: Logger;
}

const allow: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** The namespace of the leases by which nodes report that they are alive. */
const NODE_LEASES = 'kube-node-lease';
const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const OWN_OBJECT_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

/** A refusal has a reason for the client; a text is one. */
type Answer = AuthorizationResult | string;
type Rule = (question: Question) => Answer;

interface Question {
  readonly node: string;
  readonly attributes: AuthorizationAttributes;
  readonly podCertificateRequests: boolean;
  /** Allows what the graph relates to the node. */
  related(kind: GraphKind): Answer;
}

/**
 * Authorizes kubelets: a node reads what its pods need, and changes its own objects. NodeRestriction checks what only
 * the changed object shows. Has no opinion on other users.
 * Upstream: plugin/pkg/auth/authorizer/node/node_authorizer.go
 */
export function nodeAuthorizer(options: NodeAuthorizerOptions): Authorizer & RuleResolver {
  const logger = options.logger;
  return {
    authorize(attributes) {
      const node = nodeNameOf(attributes.user);
      if (node === undefined) return noOpinion;
      if (node === '') {
        const reason = `unknown node for user ${quote(attributes.user.name)}`;
        logger.v(2)?.info(`NODE DENY: ${reason}`);
        return { decision: 'NoOpinion', reason };
      }
      const rule = attributes.isResourceRequest ? ruleOf(attributes) : undefined;
      if (rule === undefined) return options.rulesAllow(attributes) ? allow : noOpinion;
      const { podCertificateRequests = false } = options;
      const relatedTo = (kind: GraphKind) => related(kind, node, attributes, options);
      const answer = rule({ node, attributes, podCertificateRequests, related: relatedTo });
      if (typeof answer !== 'string') return answer;
      logger.v(2)?.info(`NODE DENY: '${node}'`, fieldsOf(attributes));
      return answer === '' ? noOpinion : { decision: 'NoOpinion', reason: answer };
    },
    async rulesFor(user) {
      const isNode = nodeNameOf(user) !== undefined;
      const errors = isNode ? [new Error('node authorizer does not support user rule resolution')] : [];
      return { resourceRules: [], nonResourceRules: [], incomplete: isNode, errors };
    },
  };
}

/** The resources whose objects are not the same to all nodes, by group and resource. */
const rules: ReadonlyMap<string, ReadonlyMap<string, Rule>> = new Map([
  [
    '',
    new Map<string, Rule>([
      ['secrets', (question) => readNamespaced(question, 'secret')],
      ['configmaps', (question) => readNamespaced(question, 'configmap')],
      ['persistentvolumeclaims', claim],
      ['persistentvolumes', (question) => get(question, 'pv')],
      ['serviceaccounts', serviceAccount],
      ['nodes', node],
      ['pods', pod],
    ]),
  ],
  [
    'resource.k8s.io',
    new Map<string, Rule>([
      ['resourceclaims', (question) => get(question, 'resourceclaim')],
      ['resourceslices', resourceSlice],
    ]),
  ],
  [
    'storage.k8s.io',
    new Map<string, Rule>([
      ['volumeattachments', (question) => get(question, 'volumeattachment')],
      ['csinodes', csiNode],
    ]),
  ],
  ['coordination.k8s.io', new Map<string, Rule>([['leases', lease]])],
  ['certificates.k8s.io', new Map<string, Rule>([['podcertificaterequests', podCertificateRequest]])],
]);

function ruleOf({ apiGroup, resource }: AuthorizationAttributes): Rule | undefined {
  return rules.get(apiGroup)?.get(resource);
}

function related(
  kind: GraphKind,
  node: string,
  { namespace, name }: AuthorizationAttributes,
  { graph, logger }: NodeAuthorizerOptions,
): Answer {
  const missing = graph.missingRelation(node, kind, namespace, name);
  if (missing === undefined) return allow;
  logger.v(2)?.info('NODE DENY', { err: missing });
  return { decision: 'NoOpinion', reason: `no relationship found between node '${node}' and this object` };
}

function relatedByName({ attributes, related }: Question, kind: GraphKind): Answer {
  return attributes.name === '' ? 'No Object name found' : related(kind);
}

function get(question: Question, kind: GraphKind): Answer {
  const { verb, subresource } = question.attributes;
  if (verb !== 'get') return 'can only get individual resources of this type';
  return subresource === '' ? relatedByName(question, kind) : 'cannot get subresource';
}

/** Lists and watches name their object by a field selector. */
function readNamespaced(question: Question, kind: GraphKind): Answer {
  const { verb, subresource, namespace } = question.attributes;
  if (!READ_VERBS.has(verb)) return 'can only read resources of this type';
  if (subresource !== '') return 'cannot read subresource';
  return namespace === '' ? 'can only read namespaced object of this type' : relatedByName(question, kind);
}

function claim(question: Question): Answer {
  const { verb, subresource } = question.attributes;
  if (subresource !== 'status') return get(question, 'pvc');
  if (verb !== 'update' && verb !== 'patch') return 'can only get/update/patch this type';
  return relatedByName(question, 'pvc');
}

function serviceAccount(question: Question): Answer {
  const { verb, subresource, name } = question.attributes;
  if (verb === 'get' && subresource === '') return readNamespaced(question, 'serviceAccount');
  if (verb !== 'create' || name === '') return 'can only create tokens for individual service accounts';
  if (subresource !== 'token') return 'can only create token subresource of serviceaccount';
  return question.related('serviceAccount');
}

function lease({ node, attributes: { verb, namespace, name } }: Question): Answer {
  if (!OWN_OBJECT_VERBS.has(verb)) return 'can only get, create, update, patch, or delete a node lease';
  if (namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  if (verb === 'create' || name === node) return allow;
  return 'can only access node lease with the same name as the requesting node';
}

function csiNode({ node, attributes: { verb, subresource, name } }: Question): Answer {
  if (!OWN_OBJECT_VERBS.has(verb)) return 'can only get, create, update, patch, or delete a CSINode';
  if (subresource !== '') return 'cannot authorize CSINode subresources';
  if (verb === 'create' || name === node) return allow;
  return 'can only access CSINode with the same name as the requesting node';
}

function resourceSlice(question: Question): Answer {
  const { verb, subresource } = question.attributes;
  if (subresource !== '') return 'cannot authorize ResourceSlice subresources';
  switch (verb) {
    case 'create':
      return allow;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return relatedByName(question, 'resourceslice');
    case 'watch':
    case 'list':
    case 'deletecollection':
      if (selectsOwn(question)) return allow;
      return 'can only list/watch/deletecollection resourceslices with nodeName field selector';
    default:
      return 'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
  }
}

/** NodeRestriction checks what a node creates. */
function podCertificateRequest(question: Question): Answer {
  const { verb, subresource } = question.attributes;
  if (!question.podCertificateRequests) return noOpinion;
  if (subresource !== '') {
    const reason = 'nodes may not access the status subresource of PodCertificateRequests';
    return { decision: 'NoOpinion', reason };
  }
  switch (verb) {
    case 'create':
      return allow;
    case 'get':
      return relatedByName(question, 'podcertificaterequest');
    case 'list':
    case 'watch':
      if (selectsOwn(question)) return allow;
      return 'can only list/watch podcertificaterequests with nodeName field selector';
    default:
      return `nodes may not ${verb} podcertificaterequests`;
  }
}

/** A node reads its own Node before that exists. */
function node({ node: own, attributes: { verb, subresource, name } }: Question): Answer {
  const isWrite = verb === 'update' || verb === 'patch';
  if (subresource === 'status') return isWrite ? allow : '';
  if (subresource !== '') return '';
  if (isWrite || verb === 'create') return allow;
  if (verb !== 'get' && verb !== 'list' && verb !== 'watch') return '';
  if (name === own) return allow;
  if (name === '') return `node '${own}' cannot read all nodes, only its own Node object`;
  return `node '${own}' cannot read '${name}', only its own Node object`;
}

function pod(question: Question): Answer {
  const { verb, subresource, name } = question.attributes;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : '';
  if (subresource === 'eviction') return verb === 'create' ? allow : '';
  if (subresource !== '') return '';
  switch (verb) {
    case 'get':
      return get(question, 'pod');
    case 'list':
    case 'watch':
      if (selectsOwn(question)) return allow;
      if (name !== '') return relatedByName(question, 'pod');
      return 'can only list/watch pods with spec.nodeName field selector';
    case 'create':
    case 'delete':
      return allow;
    default:
      return '';
  }
}

/** True for a field selector that leaves only objects of the node. */
function selectsOwn({ node, attributes: { fieldSelector } }: Question): boolean {
  const requirements = fieldSelector?.requirements ?? [];
  return requirements.some(
    ({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node,
  );
}

/** The request in a log line. */
function fieldsOf({ verb, apiGroup, resource, subresource, namespace, name }: AuthorizationAttributes) {
  return { verb, apiGroup, resource, subresource, namespace, name };
}
