import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { customResourceDefinition } from '../harness/custom-resource-definition.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();
const GROUP = 'admissionregistration.k8s.io/v1';
const configMaps = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
  ],
};

/** A policy and its binding, of the same name. */
function bound(kind: 'Validating' | 'Mutating', name: string, spec: object, binding: object = {}) {
  return [
    { apiVersion: GROUP, kind: `${kind}AdmissionPolicy`, metadata: { name }, spec },
    {
      apiVersion: GROUP,
      kind: `${kind}AdmissionPolicyBinding`,
      metadata: { name },
      spec: { policyName: name, matchResources: { namespaceSelector: { matchLabels: { test: name } } }, ...binding },
    },
  ];
}

const configMap = (name: string, data: object, namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

describe.skipIf(missing !== undefined)(`kubectl and policies${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = temporaryDirectory('policies');
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer();
    kubectl = new Kubectl(server.kubeconfig);
    for (const name of ['limits', 'quota', 'labels', 'patches', 'actions']) {
      await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { test: name } } });
    }
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Creates objects; returns both outputs without the name of the file. */
  async function create(object: object, ...args: readonly string[]): Promise<string> {
    const file = join(folder.path, 'object.json');
    const items = Array.isArray(object) ? object : [object];
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const { stdout, stderr } = await kubectl.run(['create', '-f', file, ...args]);
    return (stderr + stdout).replaceAll(file, 'FILE').trim();
  }

  /** Creates an object in a dry run until the response matches: a policy holds a moment later. */
  async function createUntil(expected: RegExp, object: object): Promise<string> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const response = await create(object, '--dry-run=server', '-o', 'json');
      if (expected.test(response)) return response;
      await wait(100);
    }
    return create(object, '--dry-run=server', '-o', 'json');
  }

  it('a policy takes its parameters from a ConfigMap', async () => {
    await create(configMap('limit', { max: '2' }, 'limits'));
    const validation = {
      expression: 'size(object.data) <= int(params.data.max)',
      messageExpression: '"at most " + params.data.max + " entries, not " + string(variables.count)',
      reason: 'Forbidden',
    };
    const spec = {
      matchConstraints: configMaps,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'count', expression: 'size(object.data)' }],
      matchConditions: [{ name: 'others', expression: 'object.metadata.name != "limit"' }],
      validations: [validation],
    };
    const paramRef = { name: 'limit', parameterNotFoundAction: 'Deny' };
    expect(await create(bound('Validating', 'limits', spec, { paramRef, validationActions: ['Deny'] }))).toContain(
      'validatingadmissionpolicybinding.admissionregistration.k8s.io/limits created',
    );
    expect(await createUntil(/forbidden/, configMap('a', { a: '1', b: '2', c: '3' }, 'limits'))).toBe(
      `Error from server (Forbidden): error when creating "FILE": configmaps "a" is forbidden: ValidatingAdmissionPolicy 'limits' with binding 'limits' denied request: at most 2 entries, not 3`,
    );
    expect(await create(configMap('a', { a: '1' }, 'limits'))).toBe('configmap/a created');
    await kubectl.ok(['patch', 'configmap', 'limit', '-n', 'limits', '-p', '{"data":{"max":"3"}}']);
    expect(await createUntil(/"kind": "ConfigMap"/, configMap('b', { a: '1', b: '2', c: '3' }, 'limits'))).toContain(
      '"b"',
    );
  });

  it('a policy takes its parameters from custom resources that its binding selects', async () => {
    const schema = { properties: { max: { type: 'integer' } } };
    await create(customResourceDefinition('policies.example.com', 'Limit', schema));
    const limit = (name: string, max: number) => ({
      apiVersion: 'policies.example.com/v1',
      kind: 'Limit',
      metadata: { name, namespace: 'quota', labels: { use: 'yes' } },
      max,
    });
    await createUntil(/"kind": "Limit"/, limit('x', 1));
    await create([limit('large', 9), limit('small', 1)]);
    const spec = {
      matchConstraints: configMaps,
      paramKind: { apiVersion: 'policies.example.com/v1', kind: 'Limit' },
      validations: [{ expression: 'size(object.data) <= params.max' }],
    };
    const paramRef = { selector: { matchLabels: { use: 'yes' } }, parameterNotFoundAction: 'Allow' };
    await create(bound('Validating', 'quota', spec, { paramRef, validationActions: ['Deny'] }));
    expect(await createUntil(/denied/, configMap('a', { a: '1', b: '2' }, 'quota'))).toBe(
      `The configmaps "a" is invalid: : ValidatingAdmissionPolicy 'quota' with binding 'quota' denied request: failed expression: size(object.data) <= params.max`,
    );
    await kubectl.ok(['delete', 'limit', 'small', '-n', 'quota']);
    expect(await createUntil(/"kind": "ConfigMap"/, configMap('a', { a: '1', b: '2' }, 'quota'))).toContain('"a"');
  });

  it('an apply configuration is merged into an object, which validation sees', async () => {
    const expression =
      'Object{metadata: Object.metadata{labels: {"owner": request.userInfo.username}}, data: {"n": string(size(object.data))}}';
    const spec = {
      matchConstraints: configMaps,
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    };
    await create(bound('Mutating', 'labels', spec));
    const response = await createUntil(/"owner"/, configMap('a', { a: '1' }, 'labels'));
    expect(JSON.parse(response)).toMatchObject({
      metadata: { labels: { owner: expect.any(String) } },
      data: { a: '1', n: '1' },
    });
  });

  it('a JSON patch changes an object, and a wrong one refuses it', async () => {
    const expression = `[
      JSONPatch{op: "test", path: "/data/kind", value: "small"},
      JSONPatch{op: "add", path: "/metadata/annotations", value: {"example.com/size": "1"}},
      JSONPatch{op: "remove", path: "/data/" + jsonpatch.escapeKey(object.data.?remove.orValue("kind"))}
    ]`;
    const spec = {
      matchConstraints: configMaps,
      failurePolicy: 'Fail',
      reinvocationPolicy: 'IfNeeded',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    };
    await create(bound('Mutating', 'patches', spec));
    const response = await createUntil(/"example.com\/size"/, configMap('a', { kind: 'small', x: '1' }, 'patches'));
    expect(JSON.parse(response)).toMatchObject({
      data: { x: '1' },
      metadata: { annotations: { 'example.com/size': '1' } },
    });
    expect(await create(configMap('b', { kind: 'large' }, 'patches'))).toBe('configmap/b created');
    expect(await create(configMap('c', { kind: 'small', remove: 'none' }, 'patches'))).toContain(
      `policy 'patches' with binding 'patches' denied request: JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value`,
    );
  });

  it('a binding may warn instead of refusing', async () => {
    const spec = { matchConstraints: configMaps, validations: [{ expression: 'false', message: 'not good' }] };
    await create(bound('Validating', 'actions', spec, { validationActions: ['Warn', 'Audit'] }));
    await createUntil(/Warning/, configMap('a', {}, 'actions'));
    expect(await create(configMap('a', {}, 'actions'))).toBe(
      "Warning: Validation failed for ValidatingAdmissionPolicy 'actions' with binding 'actions': not good\nconfigmap/a created",
    );
    const metrics = await kubectl.ok(['get', '--raw', '/metrics']);
    expect(metrics).toContain(
      'apiserver_validating_admission_policy_check_total{enforcement_action="warn",error_type="invalid_error",policy="actions",policy_binding="actions"}',
    );
  });
});
