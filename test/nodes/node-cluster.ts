import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestCertificate, makeTestCertificateRequest, testKeyUsage } from '@apiserver/authentication/testing';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

const FLAGS = [
  '--storage-backend=memory',
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth',
];

/** A bootstrap token, as kubeadm makes it. */
export const bootstrapToken = { id: 'abcdef', secret: '0123456789abcdef' };

/** A real server with the authorizer of nodes, and the administrator's client. */
export class NodeCluster implements AsyncDisposable {
  readonly server: ApiServer;
  readonly admin: AdminClient;
  readonly #clients: AdminClient[] = [];

  private constructor(server: ApiServer) {
    this.server = server;
    this.admin = new AdminClient(server.kubeconfig);
  }

  static async start(...flags: readonly string[]): Promise<NodeCluster> {
    return new NodeCluster(await startApiServer({ args: [...FLAGS, ...flags] }));
  }

  /** Creates objects as the administrator; throws unless all are created. */
  async create(...created: readonly (readonly [path: string, object: object])[]): Promise<void> {
    for (const [path, object] of created) {
      const { status, body } = await this.admin.request('POST', path, object);
      if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${body}`);
    }
  }

  /** Signs the key of a request as a signer of the cluster would. PEM. */
  sign(publicKey: Parameters<typeof makeTestCertificate>[0] & object, commonName: string): string {
    const pki = (file: string) => readFileSync(join(this.server.dataDirectory, 'pki', file), 'utf8');
    const issuer = { privateKey: createPrivateKey(pki('ca.key')), subject: subjectOf(pki('ca.crt')) };
    const extendedKeyUsage = [testKeyUsage.clientAuth];
    const { certificate } = makeTestCertificate({
      ...publicKey,
      commonName,
      organizations: ['system:nodes'],
      issuer,
      extendedKeyUsage,
    });
    return certificate;
  }

  /** A client with the certificate of a node, without the way to it. */
  nodeClient(name: string): AdminClient {
    const { key, publicKey } = makeTestCertificateRequest({ commonName: `system:node:${name}` });
    return this.clientOf({ cert: this.sign({ publicKey }, `system:node:${name}`), key });
  }

  clientOf(identity: { readonly cert: string; readonly key: string }): AdminClient {
    const client = new AdminClient(this.server.kubeconfig, { identity });
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [this.admin, ...this.#clients]) client[Symbol.dispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

/** The parts of a subject as OID and text. */
function subjectOf(certificate: string): readonly (readonly [string, string])[] {
  const oids: Readonly<Record<string, string>> = { CN: '2.5.4.3', O: '2.5.4.10' };
  return new X509Certificate(certificate).subject.split('\n').map((part) => {
    const [name = '', text = ''] = part.split('=');
    return [oids[name] ?? '', text] as const;
  });
}

/** A pod of the namespace `default` on a node. */
export function podOn(nodeName: string, name: string, spec: object = {}): readonly [path: string, object: object] {
  const container = { name: 'c', image: 'i' };
  return [
    '/api/v1/namespaces/default/pods',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { nodeName, serviceAccountName: 'default', containers: [container], ...spec },
    },
  ];
}

/** A small object of the namespace `default`. */
export function small(kind: string, resource: string, name: string, more: object = {}): readonly [string, object] {
  return [`/api/v1/namespaces/default/${resource}`, { apiVersion: 'v1', kind, metadata: { name }, ...more }];
}
