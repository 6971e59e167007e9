import type { FlowSchema, FlowSchemaSpec, Subject } from '@apiserver/api/flowcontrol/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { exemptSchema } from '@apiserver/flowcontrol';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { flowSchemas } from './index.js';
import { flowSchemaStatusStrategy } from './strategy.js';

const context = testContext({ namespace: '' });
const { strategy } = flowSchemas;

function flowSchema(spec: Partial<FlowSchemaSpec> = {}, name = 'a', status: FlowSchema['status'] = {}): FlowSchema {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name, generation: 1 },
    spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 50, ...spec },
    status,
  };
}

const ANY = ['*'];
const USER: Subject = { kind: 'User', user: { name: 'alice' } };
const RULE = { verbs: ['get'], apiGroups: ANY, resources: ANY, namespaces: ANY };

const withRule = (rule: object) => ({ rules: [{ subjects: [USER], ...rule }] });
const withResourceRule = (rule: object) => withRule({ resourceRules: [{ ...RULE, ...rule }] });
const withUrls = (...nonResourceURLs: string[]) => withRule({ nonResourceRules: [{ verbs: ANY, nonResourceURLs }] });
const withSubject = (subject: Subject) => ({ rules: [{ subjects: [subject], resourceRules: [RULE] }] });

const RESOURCE = 'spec.rules[0].resourceRules[0]';
const URLS = 'spec.rules[0].nonResourceRules[0].nonResourceURLs';
const SUBJECT = 'spec.rules[0].subjects[0]';
const VERBS = '"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"';

describe('validation', () => {
  it.each<[Partial<FlowSchemaSpec>, string]>([
    [{}, ''],
    [withResourceRule({}), ''],
    [withUrls('/', '/a', '/a/*'), ''],
    [{ matchingPrecedence: 0 }, 'spec.matchingPrecedence: Invalid value: 0: must be a positive value'],
    [{ matchingPrecedence: 10001 }, 'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
    [
      { matchingPrecedence: 1 },
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
    [
      { distinguisherMethod: { type: 'x' } },
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"x"}: supported values: "ByNamespace", "ByUser"',
    ],
    [
      { priorityLevelConfiguration: { name: '' } },
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
    [
      { rules: [{ subjects: null }] },
      '[spec.rules[0].subjects: Required value: subjects must contain at least one value, spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty]',
    ],
    [
      withResourceRule({ verbs: [], apiGroups: [], resources: [], namespaces: [] }),
      `[${RESOURCE}.verbs: Required value: verbs must contain at least one value, ${RESOURCE}.apiGroups: Required value: resource rules must supply at least one api group, ${RESOURCE}.resources: Required value: resource rules must supply at least one resource, ${RESOURCE}.namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace]`,
    ],
    [
      withResourceRule({ verbs: ['get', '*'], apiGroups: ['', '*'], resources: ['*', 'a'], namespaces: ['*', 'b'] }),
      `[${RESOURCE}.verbs: Invalid value: ["get","*"]: if '*' is present, must not specify other verbs, ${RESOURCE}.apiGroups: Invalid value: ["","*"]: if '*' is present, must not specify other api groups, ${RESOURCE}.resources: Invalid value: ["*","a"]: if '*' is present, must not specify other resources, ${RESOURCE}.namespaces: Invalid value: ["*","b"]: if '*' is present, must not specify other namespaces]`,
    ],
    [
      withResourceRule({ verbs: ['get', 'see'] }),
      `${RESOURCE}.verbs: Unsupported value: ["get","see"]: supported values: ${VERBS}`,
    ],
    [withResourceRule({ clusterScope: true, namespaces: null }), ''],
    [
      withResourceRule({ namespaces: ['A'] }),
      `${RESOURCE}.namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [withUrls(), `${URLS}: Required value: nonResourceURLs must contain at least one value`],
    [
      withUrls('*', '/a'),
      `${URLS}: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`,
    ],
    [withUrls(''), `${URLS}[0]: Invalid value: "": must not be empty`],
    [withUrls('a'), `${URLS}[0]: Invalid value: "a": must start with slash`],
    [withUrls('/a b'), `${URLS}[0]: Invalid value: "/a b": must not contain white-space`],
    [withUrls('/a//b'), `${URLS}[0]: Invalid value: "/a//b": must not contain double slash`],
    [withUrls('/a*'), `${URLS}[0]: Invalid value: "/a*": wildcard can only do suffix matching`],
    [withUrls('/*/*'), `${URLS}[0]: Invalid value: "/*/*": wildcard can only do suffix matching`],
    [
      withSubject({ kind: 'Robot' }),
      `${SUBJECT}.kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"`,
    ],
    [withSubject({ kind: 'User' }), `${SUBJECT}.user: Required value: user is required when subject kind is 'User'`],
    [withSubject({ kind: 'Group', group: { name: '' } }), `${SUBJECT}.group.name: Required value`],
    [
      withSubject({ ...USER, group: { name: 'g' }, serviceAccount: { namespace: 'n', name: 's' } }),
      `[${SUBJECT}.serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount', ${SUBJECT}.group: Forbidden: group is forbidden when subject kind is not 'Group']`,
    ],
    [withSubject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }), ''],
    [
      withSubject({ kind: 'ServiceAccount', serviceAccount: { namespace: '', name: '' } }),
      `[${SUBJECT}.serviceAccount.name: Required value, ${SUBJECT}.serviceAccount.namespace: Required value: must specify namespace for service account]`,
    ],
  ])('%j: %j', (spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, flowSchema(spec)))).toBe(message);
    expect(aggregateFieldErrors(strategy.validateUpdate(context, flowSchema(spec), flowSchema()))).toBe(message);
  });

  it('keeps the mandatory ones as they are', () => {
    const exempt = flowSchema(exemptSchema.spec, 'exempt');
    expect(strategy.validate(context, exempt)).toEqual([]);
    const changed = flowSchema({ ...exemptSchema.spec, rules: [] }, 'exempt');
    expect(aggregateFieldErrors(strategy.validate(context, changed))).toBe(
      `spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"exempt"},"MatchingPrecedence":1,"DistinguisherMethod":null,"Rules":[]}: spec of 'exempt' must equal the fixed value`,
    );
  });

  it.each([
    [[{ type: 'Dangling' }, { type: 'Other' }], ''],
    [[{ type: 'Dangling' }, { type: 'Dangling' }], 'status.conditions[1].type: Duplicate value: "Dangling"'],
    [[{}], 'status.conditions[0].type: Required value'],
  ])('of the status: %j', (conditions, message) => {
    const changed = flowSchema({}, 'a', { conditions });
    expect(aggregateFieldErrors(flowSchemaStatusStrategy.validateUpdate(context, changed, flowSchema()))).toBe(message);
  });
});

it('counts changes of the spec, and keeps the status', async () => {
  const old = flowSchema({}, 'a', { conditions: [{ type: 'Dangling' }] });
  const same = flowSchema();
  const other = flowSchema({ matchingPrecedence: 60 });
  for (const changed of [same, other]) await strategy.prepareForUpdate?.(context, changed, old);
  expect([same.metadata.generation, other.metadata.generation, other.status]).toEqual([1, 2, old.status]);
});

it('keeps spec and metadata on an update of the status', async () => {
  const old = flowSchema();
  const changed = flowSchema({ matchingPrecedence: 60 }, 'a', { conditions: [{ type: 'Dangling' }] });
  changed.metadata.labels = { a: 'b' };
  changed.metadata.managedFields = [{ manager: 'm' }];
  await flowSchemaStatusStrategy.prepareForUpdate?.(context, changed, old);
  const metadata = { ...old.metadata, managedFields: [{ manager: 'm' }] };
  expect(changed).toEqual({ ...old, metadata, status: { conditions: [{ type: 'Dangling' }] } });
});

it('lists rows by precedence, then by name', () => {
  const all = [flowSchema({}, 'b'), flowSchema({ matchingPrecedence: 9 }, 'c'), flowSchema({}, 'a')];
  const sorted = all.toSorted((a, b) => flowSchemas.compareRows?.(a, b) ?? 0);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['c', 'a', 'b']);
});
