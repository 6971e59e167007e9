import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newStandAloneIdentity, writeAdminKubeconfig } from '@apiserver/bootstrap-pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { consoleExamples, expectLines } from './console-examples.ts';

const examples = consoleExamples('docs/troubleshooting.md');
const of = (program: string) => examples.filter(({ command }) => command.startsWith(`${program} `));

const folder = temporaryDirectory('troubleshooting');
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer({ dataDirectory: join(folder.path, 'data'), args: ['--authorization-mode=RBAC'] });
  const bad = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bad' }, dta: {} };
  writeFileSync(join(folder.path, 'bad.json'), JSON.stringify(bad));
  writeExpiredKubeconfig(join(folder.path, 'expired.kubeconfig'));
  writeOldKubeconfig(join(folder.path, 'old.kubeconfig'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** A kubeconfig whose only credential is a token that the server does not know. */
function writeExpiredKubeconfig(path: string): void {
  const config = {
    clusters: [{ name: 'c', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'expired' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(path, JSON.stringify(config));
}

/** The kubeconfig of a server that had the same address and other keys. */
function writeOldKubeconfig(path: string): void {
  const names = { dnsNames: ['localhost'], addresses: ['127.0.0.1'] };
  const { authority, admin } = newStandAloneIdentity(names, new Date());
  writeAdminKubeconfig(path, {
    server: server.url,
    certificateAuthority: authority,
    clientCertificate: admin.certificate,
    clientKey: admin.key,
  });
}

describe.each(of('kube-apiserver'))('$command', (example) => {
  it('ends with the messages of the page', async () => {
    // The page's port stands for one that is taken.
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const args = example.command.replaceAll('7443', port).split(' ').slice(1);
    const { code, stdout, stderr } = await runBinary(args, folder.path);
    taken.close();
    expect(code).toBe(1);
    expectLines(`${stdout}${stderr}`.replaceAll(port, '7443'), example);
  });
});

const missing = kubectlMissing();
describe.skipIf(missing !== undefined)(`kubectl${missing === undefined ? '' : `: ${missing}`}`, () => {
  const run = promisify(execFile);

  async function kubectl(command: string): Promise<string> {
    const options = { cwd: folder.path, env: { ...process.env, HOME: folder.path, KUBECONFIG: server.kubeconfig } };
    const { stdout, stderr } = await run('kubectl', command.split(' ').slice(1), options).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return stdout + stderr;
  }

  it('prints the messages of the page, one command after the other', async () => {
    await kubectl('kubectl create namespace shop');
    for (const example of of('kubectl')) expectLines(await kubectl(example.command), example);
  });
});

it('runs all of the page', () => {
  expect(of('kube-apiserver').length + of('kubectl').length).toBe(examples.length);
  expect(examples.length).toBeGreaterThan(15);
});
