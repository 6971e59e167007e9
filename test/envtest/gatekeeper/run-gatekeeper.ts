import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServer } from '../../harness/api-server.ts';
import { freePort } from '../../harness/free-port.ts';
import type { Kubectl } from '../../harness/kubectl.ts';
import type { BuiltGatekeeper } from './build-gatekeeper.ts';

const namespace = 'gatekeeper-system';
const secret = 'gatekeeper-webhook-server-cert';
const deadlineMs = 120_000;
const pauseMs = 250;

/**
 * Installs Gatekeeper as its manifest does, and runs it as its service account. The Service names this machine in place
 * of a pod, and the webhooks name the port. Gatekeeper makes its certificates itself and enters them into its webhooks.
 */
export async function runGatekeeper(
  server: ApiServer,
  kubectl: Kubectl,
  { program, sources }: BuiltGatekeeper,
): Promise<Gatekeeper> {
  await kubectl.ok(['apply', '-f', join(sources, 'deploy/gatekeeper.yaml')]);
  const port = await freePort();
  await redirectWebhooks(kubectl, port);
  const certificates = join(server.dataDirectory, 'gatekeeper-certificates');
  mkdirSync(certificates);
  const healthPort = await freePort();
  const flags = [
    `--kubeconfig=${await serviceAccountKubeconfig(server, kubectl)}`,
    '--host=127.0.0.1',
    `--port=${port}`,
    `--cert-dir=${certificates}`,
    `--health-addr=127.0.0.1:${healthPort}`,
    `--prometheus-port=${await freePort()}`,
    `--exempt-namespace=${namespace}`,
    '--default-wait-for-vapb-generation=1',
    '--shutdown-delay=0',
    '--logtostderr',
    '--debug-use-fake-pod',
  ];
  const gatekeeper = new Gatekeeper(spawn(program, flags, { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] }));
  try {
    await mountSecret(kubectl, certificates);
    await until('Gatekeeper is not ready', () => isReady(healthPort));
    return gatekeeper;
  } catch (error) {
    console.log(gatekeeper.log);
    await gatekeeper[Symbol.asyncDispose]();
    throw error;
  }
}

/** A running Gatekeeper. */
export class Gatekeeper implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  log = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Resolves with the first value that is neither undefined nor false; throws when none comes. */
export async function until<T>(failure: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`${failure} after ${deadlineMs / 1000} seconds`);
    await sleep(pauseMs);
  }
}

/** The variables that the manifest takes from the pod. */
function environment(): NodeJS.ProcessEnv {
  const pod = { POD_NAMESPACE: namespace, NAMESPACE: namespace, POD_NAME: 'gatekeeper-0', CONTAINER_NAME: 'manager' };
  return { ...process.env, ...pod };
}

async function redirectWebhooks(kubectl: Kubectl, port: number): Promise<void> {
  const spec = { type: 'ExternalName', externalName: '127.0.0.1', clusterIP: null, clusterIPs: null };
  const service = ['patch', 'service', 'gatekeeper-webhook-service', '-n', namespace];
  await kubectl.ok([...service, '-p', JSON.stringify({ spec })]);
  for (const [kind, name, count] of [
    ['mutatingwebhookconfiguration', 'gatekeeper-mutating-webhook-configuration', 1],
    ['validatingwebhookconfiguration', 'gatekeeper-validating-webhook-configuration', 2],
  ] as const) {
    const steps = Array.from({ length: count }, (_, index) => ({
      op: 'add',
      path: `/webhooks/${index}/clientConfig/service/port`,
      value: port,
    }));
    await kubectl.ok(['patch', kind, name, '--type=json', '-p', JSON.stringify(steps)]);
  }
}

/** Writes a kubeconfig with a token of Gatekeeper's service account. */
async function serviceAccountKubeconfig(server: ApiServer, kubectl: Kubectl): Promise<string> {
  const token = await kubectl.ok(['create', 'token', 'gatekeeper-admin', '-n', namespace]);
  const text = readFileSync(server.kubeconfig, 'utf8')
    .replace(/client-certificate-data: .*/, `token: ${token.trim()}`)
    .replace(/^.*client-key-data: .*\n/m, '');
  const path = join(server.dataDirectory, 'gatekeeper.kubeconfig');
  writeFileSync(path, text);
  return path;
}

/** Does a kubelet's part: the keys of the Secret become files, once Gatekeeper has filled it. */
async function mountSecret(kubectl: Kubectl, folder: string): Promise<void> {
  const data = await until('the Secret is empty', async () => {
    const text = await kubectl.ok(['get', 'secret', secret, '-n', namespace, '-o', 'jsonpath={.data}']);
    return text === '' ? undefined : text;
  });
  const files: Record<string, string> = JSON.parse(data);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}
