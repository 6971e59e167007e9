import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { ControlPlaneProgram, programMissing, signingFlags } from './control-plane-program.ts';

const withoutManager = kubectlMissing() ?? programMissing('KUBE_CONTROLLER_MANAGER');
const withoutScheduler = withoutManager ?? programMissing('KUBE_SCHEDULER');
const timeout = 60_000;

/** A node without a kubelet. The scheduler only needs these fields to bind to it. */
const node = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'paper' } });
const nodeStatus = JSON.stringify({
  status: {
    capacity: { cpu: '8', memory: '16Gi', pods: '110' },
    allocatable: { cpu: '8', memory: '16Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Played', lastHeartbeatTime: '2099-01-01T00:00:00Z' }],
  },
});

/** Kinds that both programs list and the server does not have yet; one that it has by now fails the test. */
const notBuilt = {
  manager: ['ValidatingAdmissionPolicy'],
  scheduler: [],
};

describe.skipIf(withoutManager !== undefined)(
  `the control plane’s own programs${withoutManager ? ` (skipped: ${withoutManager})` : ''}`,
  { timeout },
  () => {
    let folder: ReturnType<typeof temporaryDirectory>;
    let server: ApiServer;
    let admin: Kubectl;
    let kubectl: Kubectl;
    let manager: ControlPlaneProgram;
    let scheduler: ControlPlaneProgram | undefined;

    beforeAll(async () => {
      folder = temporaryDirectory('kcm');
      server = await startApiServer({ args: ['--authorization-mode=RBAC'] });
      admin = new Kubectl(server.kubeconfig);
      kubectl = new Kubectl(server.kubeconfig, { namespace: 'work' });
      manager = new ControlPlaneProgram('KUBE_CONTROLLER_MANAGER', server, folder.path, signingFlags(server));
      if (withoutScheduler === undefined) {
        scheduler = new ControlPlaneProgram('KUBE_SCHEDULER', server, folder.path);
      }
      await admin.ok(['create', 'namespace', 'work']);
    });
    afterAll(async () => {
      await scheduler?.[Symbol.asyncDispose]();
      await manager?.[Symbol.asyncDispose]();
      admin?.[Symbol.dispose]();
      kubectl?.[Symbol.dispose]();
      await server?.[Symbol.asyncDispose]();
      folder?.[Symbol.dispose]();
    });

    /** Asks until the response is the one that is expected. */
    const eventually = (args: readonly string[], response: string | RegExp) =>
      expect
        .poll(async () => (await kubectl.run(args)).stdout.trim(), { timeout: 40_000, interval: 250 })
        .toMatch(typeof response === 'string' ? new RegExp(`^${response}$`) : response);

    it('kube-controller-manager leads', async () => {
      await eventually(['get', 'lease', '-n', 'kube-system', 'kube-controller-manager', '-o', 'name'], /lease/);
      expect(manager.isRunning, manager.log).toBe(true);
    });

    it('gives a namespace its service account and its root certificate', async () => {
      await eventually(['get', 'sa,cm', '-o', 'name'], 'serviceaccount/default\nconfigmap/kube-root-ca.crt');
    });

    it('rolls a Deployment out, and again after a change', async () => {
      await kubectl.ok(['create', 'deployment', 'web', '--image=web:1', '--replicas=3']);
      await kubectl.ok(['expose', 'deployment', 'web', '--port=80']);
      await eventually(
        ['get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].status.phase}'],
        'Pending Pending Pending',
      );
      await eventually(
        ['get', 'endpointslices', '-l', 'kubernetes.io/service-name=web', '-o', 'name'],
        /^endpointslice/,
      );
      await kubectl.ok(['set', 'image', 'deployment/web', 'web=web:2']);
      await eventually(['rollout', 'history', 'deployment/web'], /1 +<none>\n2 +<none>$/);
    });

    it.skipIf(withoutScheduler !== undefined)(
      `kube-scheduler binds pods to a node${withoutScheduler ? ` (skipped: ${withoutScheduler})` : ''}`,
      async () => {
        await admin.ok(['create', '-f', '-'], node);
        await admin.ok(['patch', 'node', 'paper', '--subresource=status', '--type=merge', '-p', nodeStatus]);
        await admin.ok(['taint', 'node', 'paper', 'node.kubernetes.io/not-ready-']).catch(() => {});
        const nodes = ['get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}'];
        await eventually(nodes, /^paper paper paper/);
        await eventually(['get', 'events', '--field-selector=reason=Scheduled', '-o', 'name'], /^event/);
      },
    );

    it('collects objects without an owner', async () => {
      await kubectl.ok(['delete', 'deployment', 'web', '--cascade=foreground', '--timeout=40s']);
      expect(await kubectl.ok(['get', 'replicasets', '-o', 'name'])).toBe('');
    });

    it('makes one revision of a StatefulSet whose command has HTML', async () => {
      const container = { name: 'a', image: 'a:1', command: ['sh', '-c', 'a && b > c'] };
      const template = { metadata: { labels: { app: 'db', 10: 'x', 9: 'y' } }, spec: { containers: [container] } };
      const spec = { serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template };
      const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec };
      await kubectl.ok(['create', '-f', '-'], JSON.stringify(set));
      await eventually(['get', 'pods', '-l', 'app=db', '-o', 'name'], 'pod/db-0');
      await kubectl.ok(['annotate', 'statefulset', 'db', 'touched=true']);
      const observed = ['get', 'pods,controllerrevisions', '-l', 'app=db', '-o', 'jsonpath={.items[*].kind}'];
      await eventually(observed, 'Pod ControllerRevision');
      await kubectl.ok(['delete', 'pod', 'db-0', '--now']);
      await eventually(['get', 'pods', '-l', 'app=db', '-o', 'name'], 'pod/db-0');
      expect((await kubectl.run(observed)).stdout).toBe('Pod ControllerRevision');
    });

    it('runs a Job’s pods', async () => {
      await kubectl.ok(['create', 'job', 'once', '--image=job:1']);
      await eventually(
        ['get', 'pods', '-l', 'job-name=once', '-o', 'jsonpath={.items[*].metadata.ownerReferences[0].name}'],
        'once',
      );
    });

    it('empties and removes a namespace', async () => {
      await admin.ok(['delete', 'namespace', 'work', '--timeout=50s']);
      expect((await admin.run(['get', 'namespace', 'work'])).stderr).toContain('NotFound');
    });

    it('every kind that is built was listed, and both are still up', () => {
      expect([manager.failedLists, scheduler?.failedLists ?? []]).toEqual([
        [...notBuilt.manager].sort(),
        scheduler === undefined ? [] : [...notBuilt.scheduler].sort(),
      ]);
      expect([manager.isRunning, scheduler?.isRunning ?? true], manager.log).toEqual([true, true]);
    });
  },
);
