import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const skipped = kubectlMissing();
const timeout = 60_000;

describe.skipIf(skipped !== undefined)(
  `kubectl and controllers${skipped ? ` (skipped: ${skipped})` : ''}`,
  { timeout },
  () => {
    let server: ApiServer;
    let kubectl: Kubectl;

    beforeAll(async () => {
      // As `npm start` does.
      server = await startApiServer({ args: ['--authorization-mode=RBAC', '--controllers=*'] });
      kubectl = new Kubectl(server.kubeconfig);
    });
    afterAll(async () => {
      kubectl?.[Symbol.dispose]();
      await server?.[Symbol.asyncDispose]();
    });

    /** Asks until the response is the one that is expected. */
    const eventually = (args: readonly string[], expected: string) =>
      expect
        .poll(async () => (await kubectl.run(args)).stdout.trim(), { timeout: 30_000, interval: 100 })
        .toBe(expected);

    /** A Deployment, with a ReplicaSet and a pod as its controllers would make them. */
    async function deploy(name: string): Promise<void> {
      await kubectl.ok(['create', 'deployment', name, '--image=web:1']);
      const uidOf = (kind: string) => kubectl.ok(['get', kind, name, '-o', 'jsonpath={.metadata.uid}']);
      const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'web:1' }] } };
      const owner = (kind: string, uid: string) => [
        { apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true },
      ];
      const set = {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name, ownerReferences: owner('Deployment', await uidOf('deployment')) },
        spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
      };
      await kubectl.ok(['create', '-f', '-'], JSON.stringify(set));
      const ownerReferences = owner('ReplicaSet', await uidOf('replicaset'));
      const metadata = { ...template.metadata, name, ownerReferences };
      await kubectl.ok(
        ['create', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }),
      );
    }
    const left = (name: string) => ['get', 'deploy,rs,pods', '-o', 'name', `--field-selector=metadata.name=${name}`];

    it('creates and deletes a namespace with its content', async () => {
      await kubectl.ok(['create', 'namespace', 'x']);
      await eventually(['-n', 'x', 'get', 'sa,cm', '-o', 'name'], 'serviceaccount/default\nconfigmap/kube-root-ca.crt');
      await kubectl.ok(['-n', 'x', 'run', 'web', '--image=web:1']);
      await kubectl.ok(['-n', 'x', 'create', 'configmap', 'settings', '--from-literal=a=b']);
      expect(await kubectl.ok(['delete', 'namespace', 'x', '--timeout=20s'])).toBe('namespace "x" deleted\n');
      await eventually(['get', 'namespace', 'x', '--ignore-not-found'], '');
    });

    it('deletes a deployment and what it owns, in the background', async () => {
      await deploy('bg');
      await kubectl.ok(['delete', 'deployment', 'bg']);
      await eventually(left('bg'), '');
    });

    it('deletes what a deployment owns before the deployment', async () => {
      await deploy('fg');
      await kubectl.ok(['delete', 'deployment', 'fg', '--cascade=foreground', '--timeout=20s']);
      expect((await kubectl.run(left('fg'))).stdout).toBe('');
    });

    it('orphans what a deployment owns', async () => {
      await deploy('orphan');
      await kubectl.ok(['delete', 'deployment', 'orphan', '--cascade=orphan', '--timeout=20s']);
      await eventually(left('orphan'), 'replicaset.apps/orphan\npod/orphan');
      await eventually(['get', 'rs', 'orphan', '-o', 'jsonpath={.metadata.ownerReferences}'], '');
      await eventually(['get', 'pod', 'orphan', '-o', 'jsonpath={.metadata.ownerReferences[0].kind}'], 'ReplicaSet');
    });

    it('stops in order, with nothing under way', async () => {
      const { code, stderr } = await server.stop();
      expect([code, stderr.split('\n').filter((line) => /error|failed/i.test(line))]).toEqual([0, []]);
    });
  },
);
