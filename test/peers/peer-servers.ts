import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { type RunningKubeApiserver, startKubeApiserver } from '@apiserver/kube-apiserver';
import type { KeyValueStore } from '@apiserver/registry-store';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';

/** A server in this process, under a name of its own, and its administrator. */
export interface Peer extends AsyncDisposable {
  readonly server: RunningKubeApiserver;
  readonly admin: AdminClient;
}

/** Servers that share keys, authorities and a store, each with the name of another machine. */
export interface PeerServers extends AsyncDisposable {
  readonly folder: string;
  start(hostname: string, ...flags: string[]): Promise<Peer>;
}

/** Flags of servers that take requests of each other. */
function peerFlags(folder: string): readonly string[] {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = makeTestCertificate({ commonName: 'proxy-authority', authority: true });
  const proxy = makeTestCertificate({ commonName: 'front-proxy', issuer: authority });
  return [
    '--authorization-mode=RBAC',
    `--token-auth-file=${write('tokens.csv', 'alice-token,alice,alice-uid,"a,b"')}`,
    `--requestheader-client-ca-file=${write('proxy-ca.crt', authority.certificate)}`,
    `--proxy-client-cert-file=${write('proxy.crt', proxy.certificate)}`,
    `--proxy-client-key-file=${write('proxy.key', proxy.key)}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-uid-headers=X-Remote-Uid',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--advertise-address=127.0.0.1',
    `--peer-ca-file=${join(folder, 'first', 'pki', 'ca.crt')}`,
  ];
}

/** The first server is `first`: it makes the authorities of all. `store` is an open store, or the URL of an etcd. */
export async function peerServers(store: KeyValueStore | string): Promise<PeerServers> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryDirectory('peers')).path;
  await makeAuthorities(folder);
  const flags = peerFlags(folder);
  const storing =
    typeof store === 'string' ? { flags: [`--etcd-servers=${store}`] } : { storage: undisposed(store), flags: [] };
  return {
    folder,
    async start(hostname, ...further) {
      const dataDirectory = join(folder, hostname);
      copyAuthorities(folder, hostname);
      const server = await startKubeApiserver({
        ...storing,
        dataDirectory,
        flags: [...storing.flags, ...flags, ...further],
        configure: (config) => {
          config.hostname = hostname;
        },
      });
      const admin = new AdminClient(server.kubeconfigPath ?? '');
      return {
        server,
        admin,
        async [Symbol.asyncDispose]() {
          admin[Symbol.dispose]();
          await server.stop();
        },
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The file of an authority must exist before the server that names it. */
async function makeAuthorities(folder: string): Promise<void> {
  await using _server = await startKubeApiserver({ dataDirectory: join(folder, 'first'), storageBackend: 'memory' });
}

function copyAuthorities(folder: string, hostname: string): void {
  if (hostname === 'first') return;
  mkdirSync(join(folder, hostname), { mode: 0o700 });
  cpSync(join(folder, 'first', 'pki'), join(folder, hostname, 'pki'), { recursive: true });
}

/** A server disposes its store, which others still use. */
function undisposed(store: KeyValueStore): KeyValueStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === Symbol.asyncDispose) return async () => {};
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
