import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, repositoryRoot, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { rollOut } from './play-controller.ts';

const missing = kubectlMissing();
const shop = join(repositoryRoot, 'test/kubectl/shop');

const lines = (text: string) => text.trimEnd().split('\n');
/** The cells of a table's rows, without the age. */
const cells = (table: string) => lines(table).map((line) => line.trim().split(/\s{2,}/));

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.toys.example.com }
spec:
  group: toys.example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets, singular: widget, shortNames: [wd], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              description: What is wanted of a widget.
              properties:
                size: { type: integer, maximum: 9, description: How large it is. }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;
const widget = (size: number) => `apiVersion: toys.example.com/v1
kind: Widget
metadata: { name: one }
spec: { size: ${size} }
`;

describe.skipIf(missing !== undefined)(
  `a stranger’s first hour with kubectl${missing ? ` (skipped: ${missing})` : ''}`,
  // A test runs up to a dozen kubectl, one after the other: on a busy machine that is longer than others get.
  { timeout: 180_000 },
  () => {
    let server: ApiServer;
    let kubectl: Kubectl;

    beforeAll(async () => {
      server = await startApiServer({ args: ['--authorization-mode=RBAC'] });
      kubectl = new Kubectl(server.kubeconfig);
      // kube-controller-manager creates this in a namespace.
      await kubectl.ok(['create', 'serviceaccount', 'default']);
    });
    afterAll(async () => {
      kubectl?.[Symbol.dispose]();
      await server?.[Symbol.asyncDispose]();
    });

    describe('a deployment', () => {
      it('is created, exposed and scaled', async () => {
        expect([
          await kubectl.ok(['create', 'deployment', 'web', '--image=web:1', '--replicas=2', '--port=8080']),
          await kubectl.ok(['expose', 'deployment', 'web', '--port=80', '--target-port=8080']),
          await kubectl.ok(['scale', 'deployment', 'web', '--replicas=3']),
          await kubectl.ok(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas} {.metadata.generation}']),
          (await kubectl.run(['scale', 'deployment', 'web', '--current-replicas=2', '--replicas=4'])).stderr,
        ]).toEqual([
          'deployment.apps/web created\n',
          'service/web exposed\n',
          'deployment.apps/web scaled\n',
          '3 2',
          'error: Expected replicas to be 2, was 3\n',
        ]);
      });

      it('rolls out a new image, and back', async () => {
        await rollOut(kubectl, 'web', 1);
        await kubectl.ok(['annotate', 'deployment', 'web', 'kubernetes.io/change-cause=second image']);
        expect(await kubectl.ok(['set', 'image', 'deployment/web', 'web=web:2'])).toBe(
          'deployment.apps/web image updated\n',
        );
        await rollOut(kubectl, 'web', 2);
        expect(await kubectl.ok(['rollout', 'status', 'deployment/web', '--timeout=10s'])).toBe(
          'deployment "web" successfully rolled out\n',
        );
        expect(lines(await kubectl.ok(['rollout', 'history', 'deployment/web'])).slice(1)).toEqual([
          'REVISION  CHANGE-CAUSE',
          '1         <none>',
          '2         <none>',
        ]);
        expect(await kubectl.ok(['rollout', 'history', 'deployment/web', '--revision=1'])).toMatch(/Image:\s+web:1\n/);
        expect(await kubectl.ok(['rollout', 'undo', 'deployment/web', '--to-revision=1'])).toBe(
          'deployment.apps/web rolled back\n',
        );
        expect(await kubectl.ok(['get', 'deployment', 'web', '-o', 'wide'])).toMatch(/\sweb\s+web:1\s+app=web\n$/);
      });

      it('is paused, resumed, restarted and given resources', async () => {
        expect([
          await kubectl.ok(['rollout', 'pause', 'deployment/web']),
          await kubectl.ok(['set', 'resources', 'deployment/web', '--limits=cpu=1,memory=1Gi']),
          await kubectl.ok(['set', 'env', 'deployment/web', 'COLOUR=blue']),
          await kubectl.ok(['rollout', 'resume', 'deployment/web']),
          await kubectl.ok(['rollout', 'restart', 'deployment/web']),
        ]).toEqual([
          'deployment.apps/web paused\n',
          'deployment.apps/web resource requirements updated\n',
          'deployment.apps/web env updated\n',
          'deployment.apps/web resumed\n',
          'deployment.apps/web restarted\n',
        ]);
        const template =
          '{.spec.template.spec.containers[0].resources.limits.memory} {.spec.template.spec.containers[0].env}';
        expect(await kubectl.ok(['get', 'deployment', 'web', '-o', `jsonpath=${template}`])).toBe(
          '1Gi [{"name":"COLOUR","value":"blue"}]',
        );
      });

      it('is described', async () => {
        const text = await kubectl.ok(['describe', 'deployment', 'web']);
        for (const part of [
          /^Name: +web$/m,
          /^Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable$/m,
          /^RollingUpdateStrategy: +25% max unavailable, 25% max surge$/m,
          /^ {2}Available +True +MinimumReplicasAvailable$/m,
        ]) {
          expect(text).toMatch(part);
        }
        expect(await kubectl.ok(['describe', 'service', 'web'])).toMatch(
          /^IP: +10\.0\.0\.\d+$[\s\S]*^TargetPort: +8080\/TCP$/m,
        );
      });

      it('get all shows it with its dependents', async () => {
        const shown = lines(await kubectl.ok(['get', 'all', '-o', 'name']));
        expect(shown).toEqual([
          'service/kubernetes',
          'service/web',
          'deployment.apps/web',
          'replicaset.apps/web-rev1',
          'replicaset.apps/web-rev2',
        ]);
      });
    });

    describe('a pod', () => {
      it('is run, labelled and described', async () => {
        expect(await kubectl.ok(['run', 'shell', '--image=shell:1', '--', 'sleep', '1000'])).toBe(
          'pod/shell created\n',
        );
        expect(cells(await kubectl.ok(['get', 'pod', 'shell']))[1]?.slice(0, 4)).toEqual([
          'shell',
          '0/1',
          'Pending',
          '0',
        ]);
        const text = await kubectl.ok(['describe', 'pod', 'shell']);
        expect(text).toMatch(/^Service Account: +default$/m);
        expect(text).toMatch(/^QoS Class: +BestEffort$/m);
        expect(text).toMatch(/kube-api-access-\S+:\n +Type: +Projected/);
      });

      it('wait sees a condition that comes', async () => {
        const waiting = kubectl.ok(['wait', '--for=condition=Ready', 'pod/shell', '--timeout=10s']);
        const status = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
        await kubectl.ok([
          'patch',
          'pod',
          'shell',
          '--subresource=status',
          '--type=merge',
          '-p',
          JSON.stringify(status),
        ]);
        expect(await waiting).toBe('pod/shell condition met\n');
        expect(await kubectl.ok(['wait', '--for=jsonpath={.status.phase}=Running', 'pod/shell', '--timeout=5s'])).toBe(
          'pod/shell condition met\n',
        );
        const late = await kubectl.run(['wait', '--for=condition=Nothing', 'pod/shell', '--timeout=300ms']);
        expect(late.stderr).toBe('error: timed out waiting for the condition on pods/shell\n');
      });

      it('has events', async () => {
        const uid = await kubectl.ok(['get', 'pod', 'shell', '-o', 'jsonpath={.metadata.uid}']);
        const event = {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: 'shell.1', namespace: 'default' },
          eventTime: new Date().toISOString().replace('Z', '000Z'),
          reportingController: 'example.com/test',
          reportingInstance: 'test',
          action: 'Playing',
          reason: 'Played',
          regarding: { apiVersion: 'v1', kind: 'Pod', name: 'shell', namespace: 'default', uid },
          note: 'a test was here',
          type: 'Normal',
        };
        await kubectl.ok(['create', '-f', '-'], JSON.stringify(event));
        const row = /Normal +Played +pod\/shell +a test was here/i;
        expect(await kubectl.ok(['get', 'events', '--field-selector', 'involvedObject.name=shell'])).toMatch(row);
        expect(await kubectl.ok(['events', '--for', 'pod/shell', '--types=Normal'])).toMatch(row);
        expect(await kubectl.ok(['describe', 'pod', 'shell'])).toMatch(/Normal +Played .*a test was here/);
      });

      it('is deleted, gracefully and at once', async () => {
        expect(await kubectl.ok(['delete', 'pod', 'shell'])).toMatch(/^pod "shell" deleted/);
        expect((await kubectl.run(['delete', 'pod', 'shell', '--now'])).stderr).toBe(
          'Error from server (NotFound): pods "shell" not found\n',
        );
      });
    });

    describe('30 objects by kustomize', () => {
      it('are applied, and again without a change', async () => {
        const first = lines(await kubectl.ok(['apply', '-k', shop]));
        expect([first.length, first.filter((line) => !line.endsWith(' created'))]).toEqual([30, []]);
        const versions = () =>
          kubectl.ok([
            'get',
            '-k',
            shop,
            '-o',
            'jsonpath={range .items[*]}{.metadata.uid}={.metadata.resourceVersion} {end}',
          ]);
        const before = await versions();
        const second = lines(await kubectl.ok(['apply', '-k', shop]));
        // kubectl always sends these: a field that is only written, lists and selectors that are replaced whole.
        expect(second.filter((line) => !line.endsWith(' unchanged')).sort()).toEqual([
          'poddisruptionbudget.policy/catalogue configured',
          'secret/database-password configured',
          'statefulset.apps/database configured',
        ]);
        expect(await versions()).toBe(before);
        expect((await kubectl.run(['diff', '-k', shop])).code).toBe(0);
      });

      it('are seen by label, and as tables of every kind', async () => {
        const selected = await kubectl.ok([
          'get',
          'all',
          '-n',
          'shop',
          '-l',
          'app.kubernetes.io/part-of=shop',
          '-o',
          'name',
        ]);
        expect(lines(selected).length).toBe(14);
        expect(
          cells(await kubectl.ok(['get', 'deployments', '-n', 'shop', '--no-headers'])).map((row) => row.slice(0, 2)),
        ).toEqual(['cart', 'catalogue', 'orders', 'payment'].map((name) => [name, '0/2']));
        const images = 'jsonpath={.items[*].spec.template.spec.containers[0].image}';
        expect(await kubectl.ok(['get', 'deployments', '-n', 'shop', '-o', images])).toBe(
          'shop/cart:1.0 shop/catalogue:1.0 shop/orders:2.0 shop/payment:1.0',
        );
      });

      it('get the defaults of the limit range', async () => {
        const requests = 'jsonpath={.spec.containers[0].resources.requests}';
        expect(await kubectl.ok(['get', 'pod', 'debug', '-n', 'shop', '-o', requests])).toBe(
          '{"cpu":"50m","memory":"32Mi"}',
        );
      });

      it('are deleted', async () => {
        // The namespace goes when a controller has emptied it.
        const deleted = lines(await kubectl.ok(['delete', '-k', shop, '--wait=false']));
        expect([deleted.length, deleted.filter((line) => !/ deleted\b/.test(line))]).toEqual([30, []]);
        expect(await kubectl.ok(['get', 'deployments,services,configmaps', '-n', 'shop', '-o', 'name'])).toBe('');
      });
    });

    describe('a custom resource', () => {
      it('is defined, and its objects are like all others', async () => {
        expect(await kubectl.ok(['apply', '-f', '-'], widgets)).toBe(
          'customresourcedefinition.apiextensions.k8s.io/widgets.toys.example.com created\n',
        );
        await kubectl.established('widgets.toys.example.com');
        expect(await kubectl.ok(['apply', '-f', '-'], widget(1))).toBe('widget.toys.example.com/one created\n');
        expect(await kubectl.ok(['apply', '-f', '-'], widget(1))).toBe('widget.toys.example.com/one unchanged\n');
        expect(await kubectl.ok(['apply', '-f', '-'], widget(2))).toBe('widget.toys.example.com/one configured\n');
        expect(cells(await kubectl.ok(['get', 'wd']))[1]?.slice(0, 2)).toEqual(['one', '2']);
        expect(await kubectl.ok(['scale', 'widget', 'one', '--replicas=5'])).toBe(
          'widget.toys.example.com/one scaled\n',
        );
        expect(lines(await kubectl.ok(['get', 'all', '-o', 'name']))).toContain('widget.toys.example.com/one');
      });

      it('is explained and refused by its schema', async () => {
        expect(await kubectl.ok(['explain', 'widget.spec.size'])).toMatch(
          /FIELD: size <integer>[\s\S]*How large it is\./,
        );
        expect((await kubectl.run(['apply', '-f', '-'], widget(10))).stderr).toContain(
          'The Widget "one" is invalid: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
        );
        expect((await kubectl.run(['apply', '-f', '-'], `${widget(1)}extra: 1\n`)).stderr).toContain(
          'strict decoding error: unknown field "extra"',
        );
      });

      it('goes with its definition', async () => {
        expect(await kubectl.ok(['delete', 'crd', 'widgets.toys.example.com'])).toMatch(/ deleted\b/);
        // One that has not seen the definition: kubectl remembers discovery for hours.
        using other = new Kubectl(server.kubeconfig);
        expect((await other.run(['get', 'widgets'])).stderr).toBe(
          'error: the server doesn\'t have a resource type "widgets"\n',
        );
      });
    });

    describe('authorization', () => {
      beforeAll(async () => {
        await kubectl.ok(['create', 'namespace', 'team']);
        await kubectl.ok(['create', 'rolebinding', 'viewers', '-n', 'team', '--clusterrole=view', '--user=vera']);
        await kubectl.ok(['create', 'rolebinding', 'editors', '-n', 'team', '--clusterrole=edit', '--group=editors']);
        await kubectl.ok([
          'create',
          'clusterrole',
          'noder',
          '--verb=get,list',
          '--resource=nodes',
          '--resource-name=n1',
        ]);
        await kubectl.ok([
          'create',
          'clusterrolebinding',
          'noder',
          '--clusterrole=noder',
          '--serviceaccount=team:robot',
        ]);
      });

      it.each([
        ['vera', ['--as=vera'], { deployments: true, pods: true, secrets: false }, '[get list watch]'],
        [
          'an editor',
          ['--as=ed', '--as-group=editors'],
          { deployments: true, pods: true, secrets: true },
          '[create delete deletecollection get list patch update watch]',
        ],
      ])('can-i --list as %s', async (_who, as, sees, verbs) => {
        const rows = cells(await kubectl.ok(['auth', 'can-i', '--list', '-n', 'team', '--no-headers', ...as]));
        // Rules come resource by resource; kubectl gathers the verbs of one.
        const row = (resource: string) => rows.find(([name]) => name === resource);
        const seen = (resource: string) => (row(resource) ?? row(`${resource}.apps`)) !== undefined;
        expect(Object.fromEntries(Object.keys(sees).map((resource) => [resource, seen(resource)]))).toEqual(sees);
        const configMaps = (row('configmaps')?.at(-1) ?? '').replace(/[[\]]/g, '').split(' ').sort();
        expect(`[${configMaps.join(' ')}]`).toBe(verbs);
        expect(rows).toContainEqual(['selfsubjectreviews.authentication.k8s.io', '[]', '[]', '[create]']);
      });

      it('can-i --list as a service account with one named node, and as the administrator', async () => {
        const robot = ['--as=system:serviceaccount:team:robot'];
        const rows = cells(await kubectl.ok(['auth', 'can-i', '--list', '--no-headers', ...robot]));
        expect(rows).toContainEqual(['nodes', '[]', '[n1]', '[get list]']);
        const admin = cells(await kubectl.ok(['auth', 'can-i', '--list', '--no-headers']));
        expect(admin).toContainEqual(['*.*', '[]', '[]', '[*]']);
      });

      it('create token, with an audience and an end', async () => {
        await kubectl.ok(['create', 'serviceaccount', 'robot', '-n', 'team']);
        const token = (
          await kubectl.ok(['create', 'token', 'robot', '-n', 'team', '--duration=20m', '--audience=shop'])
        ).trim();
        const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
        expect([payload.sub, payload.aud, payload.exp - payload.iat]).toEqual([
          'system:serviceaccount:team:robot',
          ['shop'],
          1200,
        ]);
        expect((await kubectl.run(['create', 'token', 'nobody', '-n', 'team'])).stderr).toBe(
          'error: failed to create token: serviceaccounts "nobody" not found\n',
        );
      });
    });
  },
);
