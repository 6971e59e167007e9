import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEtcdStore } from '@apiserver/registry-store/etcd3';
import { findEtcd, NO_ETCD, startEtcd, startKmsPlugin } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { keys, writeConfiguration } from './configuration.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const IDENTITY = { identity: {} };
/** Texts that no file may contain, and a text that shows that the search works. */
const HIDDEN = 'this-must-not-be-readable';
const SHOWN = 'this-may-be-readable-by-all';

const definition = customResourceDefinition('example.com', 'Widget', { 'x-kubernetes-preserve-unknown-fields': true });

let folder: ReturnType<typeof temporaryDirectory>;
let file: string;
beforeEach(() => {
  folder = temporaryDirectory('encryption');
  file = join(folder.path, 'encryption.json');
});
afterEach(() => folder[Symbol.dispose]());

const start = (...args: readonly string[]): Promise<ApiServer> =>
  startApiServer({
    dataDirectory: join(folder.path, 'data'),
    args: [`--encryption-provider-config=${file}`, ...args],
  });

/** Objects with the text everywhere: in names of keys, labels, and data. */
const marked = (name: string, text: string) => ({
  metadata: { name, labels: { marker: text }, annotations: { marker: text } },
  data: { [text]: Buffer.from(text).toString('base64') },
});

async function made(client: AdminClient, path: string, body: object): Promise<void> {
  const post = async () => (await client.request('POST', path, body)).status;
  await expect.poll(post).toBe(201);
}

/** Writes the secret texts twice and deletes some of them: history counts too. */
async function write(client: AdminClient): Promise<void> {
  for (const name of ['a', 'b', 'c']) await made(client, SECRETS, marked(name, HIDDEN));
  await client.request('PUT', `${SECRETS}/a`, { ...marked('a', HIDDEN), type: 'Opaque' });
  await client.request('DELETE', `${SECRETS}/b`);
  await made(client, DEFINITIONS, definition);
  await made(client, WIDGETS, { apiVersion: 'example.com/v1', kind: 'Widget', ...marked('w', HIDDEN) });
  await made(client, CONFIG_MAPS, marked('open', SHOWN));
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** The texts that occur in the files, plain or in base64. */
function found(directory: string): readonly string[] {
  const contents = filesBelow(directory).map((path) => readFileSync(path));
  const forms = (text: string) => [text, Buffer.from(text).toString('base64')];
  return [HIDDEN, SHOWN].filter((text) =>
    forms(text).some((form) => contents.some((content) => content.includes(form))),
  );
}

/** The prefixes of encrypting providers that the server's files have anywhere. */
function prefixesInFiles(): readonly string[] {
  const contents = filesBelow(join(folder.path, 'data')).map((path) => readFileSync(path, 'latin1'));
  const found = contents.flatMap((content) => content.match(/k8s:enc:(?:kms:v2|\w+:v1):\w+:/g) ?? []);
  return [...new Set(found)].sort();
}

const aescbc = (...names: readonly string[]) => ({ aescbc: keys(...names) });
const RESOURCES = ['secrets', 'widgets.example.com'];

describe('encrypted objects', () => {
  it.each([
    ['aescbc', { aescbc: keys('a') }],
    ['secretbox', { secretbox: keys('a') }],
  ])('stands nowhere in the embedded store’s files: %s', async (_name, provider) => {
    writeConfiguration(file, [RESOURCES, provider]);
    await using server = await start();
    using client = new AdminClient(server.kubeconfig);
    await write(client);
    expect(await client.json('GET', `${SECRETS}/a`)).toMatchObject(marked('a', HIDDEN));
    await server.stop();
    expect(found(join(folder.path, 'data'))).toEqual([SHOWN]);
  });

  it.skipIf(findEtcd() === undefined)(`stands nowhere in etcd’s files (${NO_ETCD})`, async () => {
    writeConfiguration(file, [RESOURCES, { aesgcm: keys('a') }]);
    await using etcd = await startEtcd();
    await using server = await start(`--etcd-servers=${etcd.url}`);
    using client = new AdminClient(server.kubeconfig);
    await write(client);
    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    const { kv } = await store.get('/registry/secrets/default/a');
    expect(Buffer.from(kv?.value ?? []).toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:a:/);
    await server.stop();
    await etcd.kill();
    expect(found(etcd.directory)).toEqual([SHOWN]);
  });

  it('is read again by the next start, and by none that has other keys', async () => {
    writeConfiguration(file, [RESOURCES, aescbc('a')]);
    await using first = await start();
    {
      using client = new AdminClient(first.kubeconfig);
      await write(client);
    }
    await first.stop();
    {
      await using second = await start();
      using client = new AdminClient(second.kubeconfig);
      expect(await client.json('GET', `${SECRETS}/a`)).toMatchObject(marked('a', HIDDEN));
      expect(await client.json('GET', `${WIDGETS}/w`)).toMatchObject(marked('w', HIDDEN));
      await second.stop();
    }
    writeConfiguration(file, [['secrets'], aescbc('b')]);
    await using third = await start();
    using client = new AdminClient(third.kubeconfig);
    const unreadable = { kind: 'Status', code: 500, reason: 'InternalError' };
    const reason = 'no matching key was found for the provided AES transformer';
    // As kubectl lists: other lists get a 429 until the cache is filled, which never happens.
    expect(await client.json('GET', `${SECRETS}?limit=500`)).toMatchObject({
      ...unreadable,
      message: `Internal error occurred: unable to transform key "/registry/secrets/default/a": ${reason}`,
    });
    expect(await client.json('GET', `${SECRETS}/a`)).toMatchObject({
      ...unreadable,
      message: `Internal error occurred: ${reason}`,
    });
    expect(await client.json('GET', `${WIDGETS}?limit=500`)).toMatchObject({
      ...unreadable,
      message:
        'Internal error occurred: unable to transform key "/registry/example.com/widgets/default/w": identity ' +
        'transformer tried to read encrypted data',
    });
    expect((await client.request('GET', `${CONFIG_MAPS}/open`)).status).toBe(200);
    expect((await client.request('GET', '/livez')).status).toBe(200);
  });
});

describe.skipIf(kubectlMissing() !== undefined)(`rotation by kubectl (${kubectlMissing() ?? 'there is one'})`, () => {
  it('goes through a changed file and a replacement of everything', async () => {
    writeConfiguration(file, [['secrets'], IDENTITY]);
    await using server = await start('--encryption-provider-config-automatic-reload');
    using kubectl = new Kubectl(server.kubeconfig);
    using client = new AdminClient(server.kubeconfig);
    for (const name of ['a', 'b']) await kubectl.ok(['create', 'secret', 'generic', name, '--from-literal=k=v']);
    const version = async (name: string) =>
      await kubectl.ok(['get', 'secret', name, '-o', 'jsonpath={.metadata.resourceVersion}']);
    const replace = async () =>
      await kubectl.ok(['replace', '-f', '-'], await kubectl.ok(['get', 'secrets', '-A', '-o', 'json']));
    const before = await version('a');
    await replace();
    expect(await version('a')).toBe(before);

    writeConfiguration(file, [['secrets'], aescbc('b', 'a'), IDENTITY]);
    const reloads = async () =>
      /^apiserver_encryption_config_controller_automatic_reloads_total\{.*status="success"\} (\d+)/m.exec(
        (await client.request('GET', '/metrics')).body,
      )?.[1];
    await expect.poll(reloads).toBe('1');
    await replace();
    const after = await version('a');
    expect(Number(after)).toBeGreaterThan(Number(before));
    await replace();
    expect(await version('a')).toBe(after);

    expect((await client.request('GET', '/readyz/kms-providers')).body).toBe('ok');
    const { body } = await client.request('GET', '/metrics');
    const line = (name: string, ...labels: readonly string[]) =>
      body.split('\n').filter((text) => text.startsWith(`${name}{`) && labels.every((label) => text.includes(label)));
    const written = ['resource="secrets"', 'status="OK"', 'transformation_type="to_storage"'];
    const prefix = 'transformer_prefix="k8s:enc:aescbc:v1:"';
    expect(line('apiserver_storage_transformation_operations_total', ...written, prefix)).toHaveLength(1);
    expect(line('apiserver_encryption_config_controller_last_config_info', 'hash="sha256:')).toHaveLength(1);
    await server.stop();
    expect(prefixesInFiles()).toEqual(['k8s:enc:aescbc:v1:b:']);

    writeConfiguration(file, [['secrets'], aescbc('b')]);
    await using next = await start();
    using nextKubectl = new Kubectl(next.kubeconfig);
    expect(await nextKubectl.ok(['get', 'secret', 'a', '-o', 'jsonpath={.data.k}'])).toBe('dg==');
    // Neither the other key nor plain values can be read any more: everything was rewritten.
    await nextKubectl.ok(['get', 'secrets', '-A']);
  });
});

describe('a KMS plugin', () => {
  it('may come after the server, and keys are its own', async () => {
    const socket = join(folder.path, 'kms.sock');
    const plugin = { apiVersion: 'v2', name: 'p', endpoint: `unix://${socket}`, timeout: '500ms' };
    writeConfiguration(file, [['secrets'], { kms: plugin }]);
    await using server = await start();
    using client = new AdminClient(server.kubeconfig);
    const status = async (path: string) => (await client.request('GET', path)).status;
    expect([await status('/livez'), await status('/readyz'), await status('/healthz')]).toEqual([200, 500, 500]);
    expect((await client.request('GET', '/readyz?verbose')).body).toContain('[-]kms-providers failed: reason withheld');
    expect(await client.json('POST', SECRETS, marked('a', HIDDEN))).toMatchObject({
      code: 500,
      message: 'Internal error occurred: got unexpected nil transformer',
    });
    await using kms = await startKmsPlugin(socket);
    await expect.poll(() => status('/readyz')).toBe(200);
    await made(client, SECRETS, marked('a', HIDDEN));
    expect(kms.count('Encrypt')).toBe(1);
    await server.stop();
    expect(prefixesInFiles()).toEqual(['k8s:enc:kms:v2:p:']);
    expect(found(join(folder.path, 'data'))).toEqual([]);

    await using next = await start();
    using again = new AdminClient(next.kubeconfig);
    expect(await again.json('GET', `${SECRETS}/a`)).toMatchObject(marked('a', HIDDEN));
    expect(kms.count('Decrypt')).toBe(1);
  });
});

describe('flags', () => {
  it.each([
    [
      ['--encryption-provider-config-automatic-reload'],
      '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
    ],
    [
      ['--encryption-provider-config=/nowhere/file'],
      'error while parsing file: error while loading file: error reading encryption provider configuration file ' +
        '"/nowhere/file": open /nowhere/file: no such file or directory',
    ],
  ])('%j', async (args, message) => {
    const { code, stderr } = await runBinary([`--data-dir=${folder.path}/data`, '--secure-port=0', ...args]);
    expect(code).toBe(1);
    expect(stderr.replaceAll('\\"', '"')).toContain(message);
  });
});
