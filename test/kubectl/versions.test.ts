import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing, kubectlVersions } from '../harness/kubectl.ts';
import { rollOut } from './play-controller.ts';
import { PlayGarbageCollector } from './play-garbage-collector.ts';

const missing = kubectlMissing();
const programs = missing === undefined ? kubectlVersions() : [];

const deployment = (replicas: number, image: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: { app: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: ${image}
`;

describe.skipIf(missing !== undefined)(`every kubectl there is${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({ args: ['--authorization-mode=RBAC'] });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it('is found', () => {
    expect(programs.length).toBeGreaterThan(0);
  });

  describe.each(programs)('$minor', ({ minor, path }) => {
    const namespace = `v${minor.replace('.', '-')}`;
    let kubectl: Kubectl;

    beforeAll(async () => {
      kubectl = new Kubectl(server.kubeconfig, { program: path, namespace });
      await kubectl.ok(['create', 'namespace', namespace]);
    });
    afterAll(() => kubectl?.[Symbol.dispose]());

    it('is that version', async () => {
      const { clientVersion, serverVersion } = JSON.parse(await kubectl.ok(['version', '-o', 'json']));
      expect([clientVersion.minor.replace('+', ''), serverVersion.minor]).toEqual([minor.split('.')[1], '36']);
    });

    it('apply: created, unchanged, configured', async () => {
      const apply = (replicas: number) => kubectl.ok(['apply', '-f', '-'], deployment(replicas, 'web:1'));
      expect([await apply(1), await apply(1), await apply(2)]).toEqual([
        'deployment.apps/web created\n',
        'deployment.apps/web unchanged\n',
        'deployment.apps/web configured\n',
      ]);
    });

    it('diff shows the changes of an apply, and changes nothing', async () => {
      const { code, stdout } = await kubectl.run(['diff', '-f', '-'], deployment(2, 'web:2'));
      expect(code).toBe(1);
      expect(stdout.split('\n').filter((line) => /^[-+] .*image/.test(line))).toEqual([
        '-      - image: web:1',
        '+      - image: web:2',
      ]);
      expect((await kubectl.run(['diff', '-f', '-'], deployment(2, 'web:1'))).code).toBe(0);
    });

    it('rollout status, history and undo; wait', async () => {
      await rollOut(kubectl, 'web', 1);
      const waited = kubectl.ok(['wait', '--for=condition=Available', 'deployment/web', '--timeout=10s']);
      expect(await waited).toBe('deployment.apps/web condition met\n');
      await kubectl.ok(['set', 'image', 'deployment/web', 'web=web:2']);
      const following = kubectl.ok(['rollout', 'status', 'deployment/web', '--timeout=20s']);
      await rollOut(kubectl, 'web', 2);
      expect(await following).toMatch(/deployment "web" successfully rolled out\n$/);
      expect((await kubectl.ok(['rollout', 'history', 'deployment/web'])).trimEnd().split('\n')).toEqual([
        'deployment.apps/web ',
        'REVISION  CHANGE-CAUSE',
        '1         <none>',
        '2         <none>',
      ]);
      expect(await kubectl.ok(['rollout', 'undo', 'deployment/web'])).toBe('deployment.apps/web rolled back\n');
      expect(await image(kubectl)).toBe('web:1');
    });

    it('apply --server-side: conflicts are named, force ends them', async () => {
      const manifest = (size: string) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ssa }\ndata: { size: ${size} }\n`;
      const apply = (manager: string, size: string, ...more: string[]) =>
        kubectl.run(['apply', '--server-side', `--field-manager=${manager}`, '-f', '-', ...more], manifest(size));
      expect((await apply('one', 'small')).stdout).toBe('configmap/ssa serverside-applied\n');
      const refused = await apply('two', 'large');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "one": .data.size');
      expect((await apply('two', 'large', '--force-conflicts')).stdout).toBe('configmap/ssa serverside-applied\n');
      const managers = [
        'get',
        'cm',
        'ssa',
        '--show-managed-fields',
        '-o',
        'jsonpath={.metadata.managedFields[*].manager}',
      ];
      expect(await kubectl.ok(managers)).toBe('two');
    });

    it('get --chunk-size', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `chunk-${index}`);
      const manifests = names.map(
        (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { chunk: "" } }\n`,
      );
      await kubectl.ok(['create', '-f', '-'], manifests.join('---\n'));
      expect(
        (await kubectl.ok(['get', 'cm', '-l', 'chunk', '--chunk-size=3', '-o', 'name'])).trim().split('\n'),
      ).toEqual(names.map((name) => `configmap/${name}`));
    });

    it('explain: types of fields, also of references to another kind', async () => {
      const described = (field: string) => new RegExp(`  ${field}\\s.*\\n\\s+(?!<no description>)\\w`);
      const pod = await kubectl.ok(['explain', 'pod']);
      for (const field of ['kind', 'metadata', 'spec', 'status']) expect(pod).toMatch(described(field));
      expect(await kubectl.ok(['explain', 'deployment.spec.template.spec.containers.resources.limits'])).toMatch(
        /limits\s+<map\[string\]Quantity>\s+DESCRIPTION:\n\s+\w/,
      );
    });

    it('wait for a value, and get --watch shows it', async () => {
      await kubectl.ok(['create', 'configmap', 'watched', '--from-literal=colour=red']);
      const colour = ['get', 'cm', 'watched', '-w', '-o', 'jsonpath={.data.colour}{"\\n"}'];
      await using watching = kubectl.follow(colour);
      const waiting = kubectl.ok(['wait', '--for=jsonpath={.data.colour}=blue', 'cm/watched', '--timeout=15s']);
      await watching.waitForLines(1);
      await kubectl.ok(['patch', 'cm', 'watched', '--type=merge', '-p', '{"data":{"colour":"blue"}}']);
      expect(await waiting).toBe('configmap/watched condition met\n');
      expect(await watching.waitForLines(2)).toEqual(['red', 'blue']);
    });

    it('events', async () => {
      const uid = await kubectl.ok(['get', 'deployment', 'web', '-o', 'jsonpath={.metadata.uid}']);
      const now = new Date().toISOString().replace(/\.\d+/, '');
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'web.1', namespace },
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace, uid },
        reason: 'Played',
        message: 'a test was here',
        type: 'Warning',
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      };
      await kubectl.ok(['create', '-f', '-'], JSON.stringify(event));
      const row = /Warning\s+Played\s+\S+\s+a test was here|Warning\s+Played\s+deployment\/web\s+a test was here/i;
      expect(await kubectl.ok(['get', 'events'])).toMatch(row);
      expect(await kubectl.ok(['events', '--for', 'deployment/web'])).toMatch(row);
      expect(await kubectl.ok(['describe', 'deployment', 'web'])).toMatch(/Warning\s+Played\s.*\s+a test was here/);
    });

    it.each([
      ['background', 'gone'],
      ['foreground', 'gone'],
      ['orphan', 'there, without an owner'],
    ])('delete --cascade=%s: what the Deployment owned is %s', async (cascade, expected) => {
      const name = `cascade-${cascade}`;
      await kubectl.ok(['create', 'deployment', name, '--image=x:1']);
      await rollOut(kubectl, name, 1);
      const owned = ['get', 'replicaset', `${name}-rev1`, '--ignore-not-found', '-o', 'json'];
      const state = async () => {
        const found = await kubectl.ok(owned);
        if (found === '') return 'gone';
        const { ownerReferences } = JSON.parse(found).metadata;
        return `there, ${ownerReferences === undefined ? 'without an owner' : 'owned'}`;
      };
      const begun = await kubectl.ok(['delete', 'deployment', name, `--cascade=${cascade}`, '--wait=false']);
      expect(begun).toContain(`deployment.apps "${name}" deleted`);
      expect(await state()).toBe('there, owned');
      const finalizers = ['get', 'deployment', name, '--ignore-not-found', '-o', 'jsonpath={.metadata.finalizers[*]}'];
      expect(await kubectl.ok(finalizers)).toBe(
        cascade === 'foreground' ? 'foregroundDeletion' : cascade === 'orphan' ? 'orphan' : '',
      );
      await using _collector = new PlayGarbageCollector(server.kubeconfig, namespace);
      await kubectl.ok(['wait', '--for=delete', `deployment/${name}`, '--timeout=10s']);
      await expect.poll(state).toBe(expected);
    });

    it('delete --cascade=foreground comes back when all is gone', async () => {
      await using _collector = new PlayGarbageCollector(server.kubeconfig, namespace);
      await kubectl.ok(['create', 'deployment', 'whole', '--image=x:1']);
      await rollOut(kubectl, 'whole', 1);
      await kubectl.ok(['delete', 'deployment', 'whole', '--cascade=foreground', '--timeout=10s']);
      const left = ['get', 'deployment/whole', 'replicaset/whole-rev1', '--ignore-not-found', '-o', 'name'];
      expect(await kubectl.ok(left)).toBe('');
    });
  });
});

const image = (kubectl: Kubectl) =>
  kubectl.ok(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}']);
