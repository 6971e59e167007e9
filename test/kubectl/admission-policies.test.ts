import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();
const GROUP = 'admissionregistration.k8s.io';

const RULE = {
  operations: ['CREATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
  scope: '*',
};
const WEBHOOK = {
  name: 'hook.example.com',
  // Nothing matches: the server does not call it.
  rules: [{ ...RULE, apiGroups: ['nothing.example.com'] }],
  clientConfig: { url: 'https://127.0.0.1:1/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const MATCH = { resourceRules: [RULE] };

function made(kind: string, fields: object, version = 'v1') {
  return { apiVersion: `${GROUP}/${version}`, kind, metadata: { name: 'a' }, ...fields };
}
function policy(...expressions: string[]) {
  const validations = expressions.map((expression) => ({ expression }));
  return made('ValidatingAdmissionPolicy', { spec: { matchConstraints: MATCH, validations } });
}
function mutations(version?: string) {
  const patch = { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "test", path: "/a"}]' } };
  const spec = { matchConstraints: MATCH, mutations: [patch], reinvocationPolicy: 'Never' };
  return made('MutatingAdmissionPolicy', { spec }, version);
}

describe.skipIf(missing !== undefined)(`kubectl and policies${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer({ args: [`--runtime-config=${GROUP}/v1beta1=true`] });
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const apply = (object: object) => kubectl.applied(object);

  it.each<[string, object, string[]]>([
    ['validatingwebhookconfigurations', made('ValidatingWebhookConfiguration', { webhooks: [WEBHOOK] }), ['a', '1']],
    ['mutatingwebhookconfigurations', made('MutatingWebhookConfiguration', { webhooks: [WEBHOOK] }), ['a', '1']],
    ['validatingadmissionpolicies', policy('true', 'object.spec.replicas < 5'), ['a', '2', '<unset>']],
    [
      'validatingadmissionpolicybindings',
      made('ValidatingAdmissionPolicyBinding', { spec: { policyName: 'b', validationActions: ['Deny'] } }),
      ['a', 'b', '<unset>'],
    ],
    ['mutatingadmissionpolicies', mutations(), ['a', '1', '<unset>']],
    [
      'mutatingadmissionpolicybindings',
      made('MutatingAdmissionPolicyBinding', { spec: { policyName: 'b' } }),
      ['a', 'b', '<unset>'],
    ],
  ])('creates, applies, lists and explains %s', async (resource, object, cells) => {
    expect(await apply(object)).toMatch(/created$/);
    expect(await apply(object)).toMatch(/unchanged$/);
    const row = await kubectl.ok(['get', resource, 'a', '--no-headers']);
    expect(row.trim().split(/\s+/).slice(0, -1)).toEqual(cells);
    expect(await kubectl.ok(['get', 'api-extensions', '-o', 'name'])).toContain(
      `${resource}`.replace(/ies$/, 'y').replace(/s$/, ''),
    );
    expect(await kubectl.ok(['explain', resource])).toContain(`GROUP:      ${GROUP}`);
  });

  it('refuses a wrong expression with a caret below the fault', async () => {
    expect(await apply(policy('objekt.spec.replicas < 5'))).toBe(
      `The ValidatingAdmissionPolicy "a" is invalid: spec.validations[0].expression: Invalid value: "objekt.spec.replicas < 5": compilation failed: ERROR: <input>:1:1: undeclared reference to 'objekt' (in container '')
 | objekt.spec.replicas < 5
 | ^`,
    );
  });

  it('warns of wrong types in the status', async () => {
    expect(await apply(policy('object.spec.replicas < 5', 'object.spec.replica < 5'))).toMatch(/configured$/);
    await kubectl.ok(['wait', '--for=jsonpath={.status.observedGeneration}=2', 'validatingadmissionpolicy/a']);
    const status = await kubectl.ok(['get', 'validatingadmissionpolicy/a', '-o', 'jsonpath={.status.typeChecking}']);
    expect(JSON.parse(status)).toEqual({
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[1].expression',
          warning: `apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'
 | object.spec.replica < 5
 | ...........^
`,
        },
      ],
    });
  });

  it('serves a beta version on demand', async () => {
    expect(await apply(mutations('v1beta1'))).toMatch(/a (unchanged|configured)$/);
    const path = `/apis/${GROUP}/v1beta1/mutatingadmissionpolicies/a`;
    expect(JSON.parse(await kubectl.ok(['get', '--raw', path]))).toMatchObject(mutations('v1beta1'));
    const { resources } = JSON.parse(await kubectl.ok(['get', '--raw', `/apis/${GROUP}/v1beta1`]));
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
    ]);
  });
});
