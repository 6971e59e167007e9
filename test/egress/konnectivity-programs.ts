import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modulesMissing } from '../envtest/go-tests.ts';
import { repositoryRoot } from '../harness/api-server.ts';

const moduleFolder = join(repositoryRoot, 'test/egress/konnectivity');
const PACKAGE = 'sigs.k8s.io/apiserver-network-proxy/cmd';

/** Undefined when konnectivity can be built, else why not. Fetches its modules. */
export function konnectivityMissing(): string | undefined {
  return process.platform === 'win32' ? 'there are no unix sockets' : modulesMissing(moduleFolder);
}

/** The certificate of both programs, which is its own authority, and its key: files. */
export interface KonnectivityFiles {
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
}

/** A konnectivity server and one of its agents, built from their Go module. */
export class Konnectivity implements AsyncDisposable {
  readonly socketPath: string;
  readonly #children: ChildProcess[] = [];
  readonly #files: KonnectivityFiles;

  constructor(files: KonnectivityFiles) {
    this.#files = files;
    this.socketPath = join(files.folder, 'konnectivity.sock');
  }

  /** Builds and starts both. Resolves once the server listens; the agent connects soon after. */
  async start(): Promise<void> {
    const { folder, certificate, key } = this.#files;
    const packages = ['server', 'agent'].map((name) => `${PACKAGE}/${name}`);
    const built = spawnSync('go', ['build', '-o', `${folder}/`, ...packages], { cwd: moduleFolder, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(built.stderr);
    const [agentPort, admin, health, agentAdmin, agentHealth] = await freePorts(5);
    this.#run('server', {
      'uds-name': this.socketPath,
      'server-port': 0,
      'agent-port': agentPort,
      'agent-bind-address': '127.0.0.1',
      'cluster-ca-cert': certificate,
      'cluster-cert': certificate,
      'cluster-key': key,
      'admin-port': admin,
      'health-port': health,
      'health-bind-address': '127.0.0.1',
    });
    for (let waited = 0; !existsSync(this.socketPath); waited += 50) {
      if (waited > 20_000) throw new Error('the konnectivity server has not started');
      await sleep(50);
    }
    this.#run('agent', {
      'proxy-server-host': '127.0.0.1',
      'proxy-server-port': agentPort,
      'ca-cert': certificate,
      'agent-cert': certificate,
      'agent-key': key,
      'admin-server-port': agentAdmin,
      'health-server-port': agentHealth,
      'health-server-host': '127.0.0.1',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    }
  }

  #run(program: string, flags: Readonly<Record<string, string | number | undefined>>): void {
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    this.#children.push(spawn(join(this.#files.folder, program), args, { stdio: 'ignore' }));
  }
}

/** Ports of this machine that nobody listens on. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}
