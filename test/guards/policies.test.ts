import { expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, core, object, paths, role } from './objects.ts';

const server = assembledServer();
const API = '/apis/admissionregistration.k8s.io/v1';
const MAPS = paths.in('default', 'configmaps');
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};

/** Installs a policy for ConfigMaps, and its binding. */
async function install(kind: 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy', spec: object, binding: object) {
  const version = 'admissionregistration.k8s.io/v1';
  const path = kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : 'mutatingadmissionpolicies';
  await server.make(`${API}/${path}`, object(version, kind, 'p', { spec: { matchConstraints, ...spec } }));
  const bound = object(version, `${kind}Binding`, 'p', { spec: { policyName: 'p', ...binding } });
  await server.make(`${API}/${path.replace(/ies$/, 'ybindings')}`, bound);
}

/** The policies take effect when their informers have learned them. */
const created = async (name: string) => await server.ask('POST', `${MAPS}?dryRun=All`, core('ConfigMap', name));

it('a validating policy refuses what its expression does not allow', async () => {
  const validations = [{ expression: "object.metadata.name != 'refused'", message: 'not this name' }];
  await install('ValidatingAdmissionPolicy', { validations }, { validationActions: ['Deny'] });
  await expect
    .poll(async () => (await created('refused')).body.message, { timeout: 30_000 })
    .toContain("ValidatingAdmissionPolicy 'p' with binding 'p' denied request: not this name");
  expect((await created('allowed')).code).toBe(201);
});

it('a mutating policy changes what its expression returns', async () => {
  const expression = 'Object{metadata: Object.metadata{labels: {"mutated": "yes"}}}';
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  await install('MutatingAdmissionPolicy', { mutations, reinvocationPolicy: 'Never' }, {});
  await expect
    .poll(async () => (await created('mutated')).body.metadata.labels, { timeout: 30_000 })
    .toEqual({ mutated: 'yes' });
});

it('an author of policies takes no parameters that he may not read', async () => {
  const writes = { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['create', 'get'] };
  const reads = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  await server.make(paths.clusterRoles, role('ClusterRole', 'blind', writes));
  await server.make(paths.clusterRoles, role('ClusterRole', 'reading', writes, reads));
  const policies = `${API}/validatingadmissionpolicies`;
  const spec = {
    matchConstraints,
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: "params.data['allowed'] == 'yes'" }],
  };
  const policy = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'with-params', { spec });
  const submitted = async (name: string) => await server.ask('POST', `${policies}?dryRun=All`, policy, { name });
  for (const name of ['blind', 'reading']) {
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', name, name, { kind: 'User', name }));
    await server.until(404, () => server.ask('GET', `${policies}/none`, undefined, { name }));
  }
  const refused = await submitted('blind');
  expect([refused.code, refused.body.message]).toEqual([
    422,
    expect.stringContaining('must have "get" permission on all objects of the referenced paramKind'),
  ]);
  expect((await submitted('reading')).code).toBe(201);
});
