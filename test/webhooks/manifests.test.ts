import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';

const GATE = '--feature-gates=ManifestBasedAdmissionControlConfig=true';
const API = 'admissionregistration.k8s.io/v1';

let stack = new AsyncDisposableStack();
let folder = '';
beforeEach(() => {
  folder = stack.use(temporaryDirectory('manifests')).path;
});
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

/** Writes manifests into the folder of a plugin. */
function write(plugin: string, file: string, ...manifests: readonly (object | string)[]): string {
  const path = join(folder, plugin);
  mkdirSync(path, { recursive: true });
  const documents = manifests.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  writeFileSync(join(path, file), documents.join('\n---\n'));
  return path;
}

/** A server with the folders of the named plugins. */
async function serverWith(...plugins: readonly string[]) {
  const configuration = (name: string) => ({
    name,
    configuration: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: name.endsWith('Webhook') ? 'WebhookAdmissionConfiguration' : `${name}Configuration`,
      staticManifestsDir: join(folder, name),
    },
  });
  const file = join(folder, 'admission.json');
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: plugins.map(configuration),
    }),
  );
  const flags = [`--admission-control-config-file=${file}`, GATE];
  const dataDirectory = join(folder, 'data');
  const server = stack.use(await startKubeApiserver({ dataDirectory, storageBackend: 'memory', flags }));
  const credentials = readCredentials(server.kubeconfigPath ?? '');
  const send = (method: string, path: string, body?: object): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    request(`${server.address}${path}`, { method, ...credentials, agent: false, headers }, async (response) => {
      resolve(`${response.statusCode} ${await text(response)}`);
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
    return promise;
  };
  return {
    send,
    /** The message of a refusal; empty if the object was admitted. */
    async create(path: string, object: object): Promise<string> {
      const response = await send('POST', `${path}?dryRun=All`, object);
      return response.startsWith('201 ') ? '' : JSON.parse(response.slice(4)).message;
    },
  };
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const RULE = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] };

function policy(name: string, expression: string, message: string) {
  return {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression, message }] },
  };
}

function binding(name: string) {
  return {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}

const NAME = 'names.static.k8s.io';
const refusing = (word: string) => policy(NAME, `!object.metadata.name.startsWith('${word}')`, `no ${word}`);
const denied = (kind: string, name: string, word: string) =>
  `${kind} "${name}" is forbidden: ValidatingAdmissionPolicy '${NAME}' with binding '${NAME}' denied request: no ${word}`;

describe('policies of files', () => {
  it('refuse requests, follow their files, and outlive a broken one', async () => {
    write('ValidatingAdmissionPolicy', 'a.yaml', refusing('bad'), binding(NAME));
    const server = await serverWith('ValidatingAdmissionPolicy');
    expect([
      await server.create(CONFIG_MAPS, configMap('bad-one')),
      await server.create(CONFIG_MAPS, configMap('worse-one')),
    ]).toEqual([denied('configmaps', 'bad-one', 'bad'), '']);

    write('ValidatingAdmissionPolicy', 'a.yaml', refusing('worse'), binding(NAME));
    await vi.waitFor(
      async () =>
        expect(await server.create(CONFIG_MAPS, configMap('worse-one'))).toBe(
          denied('configmaps', 'worse-one', 'worse'),
        ),
      { timeout: 30_000, interval: 50 },
    );
    expect(await server.create(CONFIG_MAPS, configMap('bad-one'))).toBe('');

    write('ValidatingAdmissionPolicy', 'b.yaml', 'kind: [');
    const failures = /automatic_reloads_total\{.*,plugin="ValidatingAdmissionPolicy",status="failure"\} [1-9]/;
    await vi.waitFor(async () => expect(await server.send('GET', '/metrics')).toMatch(failures), {
      timeout: 30_000,
      interval: 50,
    });
    expect(await server.create(CONFIG_MAPS, configMap('worse-one'))).toBe(denied('configmaps', 'worse-one', 'worse'));
  });

  it('see policies, which policies of the API do not, and reserve their names', async () => {
    write('ValidatingAdmissionPolicy', 'a.json', refusing('bad'), binding(NAME));
    const server = await serverWith('ValidatingAdmissionPolicy');
    const path = `/apis/${API}/validatingadmissionpolicies`;
    expect([
      await server.create(path, policy('bad', 'true', 'x')),
      await server.create(path, policy('good', 'true', 'x')),
      await server.create(path, policy('good.static.k8s.io', 'true', 'x')),
      await server.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
        metadata: { name: 'bad' },
      }),
    ]).toEqual([
      denied('validatingadmissionpolicies.admissionregistration.k8s.io', 'bad', 'bad'),
      '',
      expect.stringContaining('names ending with ".static.k8s.io" are reserved'),
      '',
    ]);
  });

  it.each<[string, readonly object[], string]>([
    [
      'without its suffix',
      [policy('a', 'true', 'x')],
      '"a" in file "FILE" must have a name ending with ".static.k8s.io"',
    ],
    [
      'without its policy',
      [binding(NAME)],
      `binding "${NAME}" references policy "${NAME}" which does not exist in the manifest directory`,
    ],
    [
      'with a wrong expression',
      [policy(NAME, '1', 'x')],
      `ValidatingAdmissionPolicy "${NAME}": spec.validations[0].expression: Invalid value: "1": must evaluate to bool`,
    ],
    [
      'that repeats',
      [refusing('a'), refusing('b')],
      `duplicate name "${NAME}" found in file "FILE" (previously seen in "FILE")`,
    ],
    [
      'of another kind',
      [{ apiVersion: API, kind: 'MutatingWebhookConfiguration', metadata: { name: NAME } }],
      'unsupported resource type *v1.MutatingWebhookConfiguration',
    ],
    ['with an unknown field', [{ ...binding(NAME), more: 1 }], 'strict decoding error: unknown field "more"'],
    [
      'with parameters',
      [{ ...refusing('a'), spec: { ...refusing('a').spec, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } }],
      `ValidatingAdmissionPolicy "${NAME}": spec.paramKind is not supported for static manifests`,
    ],
  ])('stop the start with a manifest %s', async (_what, manifests, message) => {
    const path = write('ValidatingAdmissionPolicy', 'a.yaml', ...manifests);
    const start = serverWith('ValidatingAdmissionPolicy');
    const prefix = `failed to initialize admission plugin "ValidatingAdmissionPolicy": failed to load static policy manifests from "${path}": `;
    await expect(start).rejects.toThrow(prefix);
    await expect(start).rejects.toThrow(message.replaceAll('FILE', join(path, 'a.yaml')));
  });
});

describe('mutating policies of files', () => {
  it('change objects', async () => {
    const name = 'label.static.k8s.io';
    const expression = 'Object{metadata: Object.metadata{labels: {"from": "file"}}}';
    const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
    write(
      'MutatingAdmissionPolicy',
      'a.yaml',
      {
        apiVersion: API,
        kind: 'MutatingAdmissionPolicy',
        metadata: { name },
        spec: { matchConstraints: { resourceRules: [RULE] }, mutations, reinvocationPolicy: 'Never' },
      },
      { apiVersion: API, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
    );
    const server = await serverWith('MutatingAdmissionPolicy');
    expect(await server.send('POST', CONFIG_MAPS, configMap('a'))).toContain('"labels":{"from":"file"}');
  });
});

describe('webhooks of files', () => {
  it('refuse requests, see configurations, and follow their files', async () => {
    const webhook = await startWebhook();
    const rules = [{ ...RULE, resources: ['configmaps', 'validatingwebhookconfigurations'] }];
    const configuration = (name: string) => ({
      apiVersion: API,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [
        {
          name: 'a.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          rules,
          clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
        },
      ],
    });
    write('ValidatingAdmissionWebhook', 'a.json', configuration('hook.static.k8s.io'));
    const server = await serverWith('ValidatingAdmissionWebhook');
    const refused = 'admission webhook "a.example.com" denied the request: from a file';
    expect([
      await server.create(CONFIG_MAPS, configMap('a')),
      await server.create(`/apis/${API}/validatingwebhookconfigurations`, configuration('b')),
    ]).toEqual([refused, refused]);
    rmSync(join(folder, 'ValidatingAdmissionWebhook', 'a.json'));
    await vi.waitFor(async () => expect(await server.create(CONFIG_MAPS, configMap('a'))).toBe(''), {
      timeout: 30_000,
      interval: 50,
    });
  });

  it('need a URL', async () => {
    const service = { name: 'a', namespace: 'b' };
    const path = write('MutatingAdmissionWebhook', 'a.yaml', {
      apiVersion: API,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'hook.static.k8s.io' },
      webhooks: [
        {
          name: 'a.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          rules: [RULE],
          clientConfig: { service },
        },
      ],
    });
    await expect(serverWith('MutatingAdmissionWebhook')).rejects.toThrow(
      `failed to initialize admission plugin "MutatingAdmissionWebhook": failed to load static webhook manifests from "${path}": error loading ${path}/a.yaml: webhook "a.example.com" in "hook.static.k8s.io" (file "${path}/a.yaml"): clientConfig.service is not supported for static manifests; use clientConfig.url instead`,
    );
  });
});

/** A webhook that refuses everything. */
async function startWebhook(): Promise<{ readonly url: string; readonly caBundle: string }> {
  const authority = makeTestCertificate({ commonName: 'webhook-authority', authority: true });
  const serving = makeTestCertificate({ commonName: 'webhook', issuer: authority, hosts: ['127.0.0.1'] });
  const server: Server = createServer({ cert: serving.certificate, key: serving.key }, async (incoming, response) => {
    const { request: asked } = (await json(incoming)) as { request: { uid: string } };
    const verdict = { uid: asked.uid, allowed: false, status: { message: 'from a file' } };
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict }));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(authority.certificate).toString('base64') };
}
