import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestHeaderAuthenticator } from '@apiserver/authentication';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { alwaysAllow } from '@apiserver/authorization';
import { createApiServer } from '@apiserver/generic-server';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flunders } from '../../examples/sample-apiserver/src/flunder.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();
const proxyAuthority = makeTestCertificate({ commonName: 'proxy-authority', authority: true });
const proxy = makeTestCertificate({ commonName: 'front-proxy', issuer: proxyAuthority });
const serving = makeTestCertificate({ commonName: 'flunders', hosts: ['flunders.fish.svc'] });

/** A server of flunders that trusts the aggregator's identity headers, on its own port. */
async function startSample() {
  const users: string[] = [];
  const headers = requestHeaderAuthenticator(
    {
      clientCAs: () => proxyAuthority.certificate,
      allowedNames: ['front-proxy'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    },
    Date.now,
  );
  const api = await createApiServer({
    groups: [{ resources: [flunders] }],
    storage: createMemoryStore(),
    serving: { certificate: serving, clientCA: proxyAuthority.certificate },
    authorization: alwaysAllow(),
    authentication: {
      authenticateRequest: async (exchange) => {
        const response = await headers.authenticateRequest(exchange);
        users.push(response?.user.name ?? '');
        return response;
      },
    },
  });
  return { api, users, port: Number(new URL(await api.listen()).port) };
}

const yaml = (...documents: readonly object[]) => documents.map((document) => JSON.stringify(document)).join('\n---\n');

describe.skipIf(missing !== undefined)(`an extension server${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = temporaryDirectory('aggregation');
  let sample: Awaited<ReturnType<typeof startSample>>;
  let server: ApiServer;
  let kubectl: Kubectl;
  let port: number;

  beforeAll(async () => {
    const { path } = folder;
    writeFileSync(join(path, 'proxy.crt'), proxy.certificate);
    writeFileSync(join(path, 'proxy.key'), proxy.key);
    const args = [
      `--proxy-client-cert-file=${join(path, 'proxy.crt')}`,
      `--proxy-client-key-file=${join(path, 'proxy.key')}`,
    ];
    const modes = ['--authorization-mode=RBAC', '--controllers=namespace-controller'];
    server = await startApiServer({ args: [...modes, ...args] });
    kubectl = new Kubectl(server.kubeconfig);
    sample = await startSample();
    ({ port } = sample);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    await sample?.api[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const run = async (args: string, input?: string) => {
    const { code, stdout, stderr } = await kubectl.run(args.split(' '), input);
    return { code, text: `${stdout}${stderr}`.trim() };
  };
  const apiService = (caBundle: string) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.wardle.example.com' },
    spec: {
      group: 'wardle.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      caBundle,
      service: { namespace: 'fish', name: 'flunders', port },
    },
  });
  const caBundle = Buffer.from(serving.certificate).toString('base64');

  it('is not available without its service, and gives the reason', async () => {
    await kubectl.ok(['create', 'namespace', 'fish']);
    await kubectl.ok(['apply', '-f', '-'], yaml(apiService(caBundle)));
    await run('wait --for=condition=Available=false apiservice/v1.wardle.example.com --timeout=10s');
    const { text } = await run('get apiservice v1.wardle.example.com --no-headers');
    expect(text.split(/ {2,}/).slice(0, 3)).toEqual([
      'v1.wardle.example.com',
      'fish/flunders',
      'False (ServiceNotFound)',
    ]);
    expect((await run('get --raw /apis/wardle.example.com/v1')).text).toContain(
      'currently unable to handle the request',
    );
  });

  it('is served like a built-in group, as the requesting user', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'flunders', namespace: 'fish' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    };
    await kubectl.ok(['apply', '-f', '-'], yaml(service));
    const waited = await run('wait --for=condition=Available apiservice/v1.wardle.example.com --timeout=15s');
    expect(waited).toEqual({ code: 0, text: 'apiservice.apiregistration.k8s.io/v1.wardle.example.com condition met' });
    const flunder = {
      apiVersion: 'wardle.example.com/v1',
      kind: 'Flunder',
      metadata: { name: 'one', namespace: 'fish' },
      spec: { reference: 'two' },
    };
    // Discovery is read in the background.
    await expect
      .poll(async () => (await run('api-resources --api-group=wardle.example.com -o name')).text)
      .toBe('flunders.wardle.example.com');
    expect(await run('create -f -', yaml(flunder))).toEqual({
      code: 0,
      text: 'flunder.wardle.example.com/one created',
    });
    expect((await run('get flunders -n fish -o name')).text).toBe('flunder.wardle.example.com/one');
    sample.users.length = 0;
    await run('get --raw /apis/wardle.example.com/v1/namespaces/fish/flunders/one --as=nobody');
    expect(sample.users).not.toContain('nobody');
    await run(
      'get --raw /apis/wardle.example.com/v1/namespaces/fish/flunders/one --as=admiral --as-group=system:masters',
    );
    expect(sample.users).toContain('admiral');
  });

  it('has its document of OpenAPI 2.0 in that of the server', async () => {
    const document = async () => JSON.parse((await run('get --raw /openapi/v2')).text);
    await expect
      .poll(async () => Object.keys((await document()).paths).filter((path) => path.includes('wardle')), {
        timeout: 30_000,
      })
      .toContain('/apis/wardle.example.com/v1/namespaces/{namespace}/flunders/{name}');
    const { definitions, info } = await document();
    const KINDS = 'x-kubernetes-group-version-kind';
    const flunder = Object.keys(definitions).filter((name) => name.endsWith('.Flunder'));
    expect(flunder.map((name) => definitions[name][KINDS])).toEqual([
      [{ group: 'wardle.example.com', kind: 'Flunder', version: 'v1' }],
    ]);
    expect(Object.keys(definitions).filter((name) => /(Object|List)Meta/.test(name))).toEqual([
      'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta',
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    ]);
    expect(definitions['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'][KINDS]).toContainEqual({
      group: 'wardle.example.com',
      kind: 'DeleteOptions',
      version: 'v1',
    });
    expect(info.title).toBe('Kubernetes');
  });

  it('has its objects deleted with their namespace', async () => {
    await kubectl.ok(['create', 'namespace', 'pond']);
    const flunder = {
      apiVersion: 'wardle.example.com/v1',
      kind: 'Flunder',
      metadata: { name: 'one', namespace: 'pond' },
      spec: { reference: 'two' },
    };
    await kubectl.ok(['create', '-f', '-'], yaml(flunder));
    await kubectl.ok(['delete', 'namespace', 'pond', '--wait=false']);
    await expect.poll(async () => (await run('get namespace pond')).text).toContain('not found');
    expect((await run('get flunders -A -o name')).text).toBe('flunder.wardle.example.com/one');
    expect((await run('get flunders -n pond -o name')).text).toBe('');
  });

  it('is not believed under another name', async () => {
    const stranger = makeTestCertificate({ commonName: 'stranger', authority: true });
    await kubectl.ok(['apply', '-f', '-'], yaml(apiService(Buffer.from(stranger.certificate).toString('base64'))));
    await expect
      .poll(async () => (await run('get --raw /apis/wardle.example.com/v1/namespaces/fish/flunders')).text, {
        timeout: 30_000,
      })
      .toContain('currently unable to handle the request');
  });

  it('is gone with its APIService', async () => {
    await run('delete apiservice v1.wardle.example.com');
    await expect.poll(async () => (await run('api-resources --api-group=wardle.example.com -o name')).text).toBe('');
    expect((await run('get --raw /apis/wardle.example.com/v1')).code).toBe(1);
    expect((await run('get --raw /openapi/v2')).text).not.toContain('/apis/wardle.example.com/v1/');
  });
});
