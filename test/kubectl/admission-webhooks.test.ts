import { Buffer } from 'node:buffer';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook, type TestWebhook } from '@apiserver/webhook/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();
const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const stranger = makeTestCertificate({ commonName: 'others', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['127.0.0.1'] });

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly kind: { readonly version: string; readonly kind: string };
    readonly requestKind: { readonly version: string };
    readonly subResource?: string;
    readonly name: string;
    readonly object: {
      readonly metadata: { readonly labels?: object };
      readonly spec?: Readonly<Record<string, unknown>>;
    };
  };
}

const rule = (group: string, version: string, resource: string, operations = ['CREATE', 'UPDATE']) => ({
  operations,
  apiGroups: [group],
  apiVersions: [version],
  resources: [resource],
});

describe.skipIf(missing !== undefined)(`admission webhooks${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;
  let webhook: TestWebhook;
  let seen: Review['request'][] = [];

  /** Labels by /label, and a denial by /deny. */
  const respond = (path: string, { request }: Review): object => {
    const { uid, object } = request;
    if (path === '/deny') return { uid, allowed: false, status: { message: `no ${request.operation} here` } };
    const key = path.slice(1);
    const labels = object.metadata.labels === undefined ? [{ op: 'add', path: '/metadata/labels', value: {} }] : [];
    const patch = [...labels, { op: 'add', path: `/metadata/labels/${key}`, value: 'yes' }];
    return {
      uid,
      allowed: true,
      warnings: [`labelled by ${key}`],
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
  };

  beforeAll(async () => {
    webhook = await startTestWebhook(serving, ({ url, body }) => {
      const review: Review = JSON.parse(body);
      seen.push(review.request);
      const response = respond(url.slice(0, url.indexOf('?')), review);
      return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
    });
    server = await startApiServer({ args: ['--disable-admission-plugins=ServiceAccount'] });
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    await webhook?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    seen = [];
  });

  /** Configures one webhook, and waits until it is called. */
  const configure = async (kind: 'Mutating' | 'Validating', name: string, path: string, more: object) => {
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: {
            url: `https://127.0.0.1:${webhook.port}${path}`,
            caBundle: Buffer.from(authority.certificate).toString('base64'),
          },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...more,
        },
      ],
    };
    await kubectl.ok(['apply', '-f', '-'], JSON.stringify(configuration));
    await kubectl.ok(['get', '--raw', '/readyz']);
  };
  const forget = (kind: string, name: string) => kubectl.ok(['delete', `${kind}webhookconfiguration`, name]);
  const labelsOf = async (...object: readonly string[]) =>
    JSON.parse((await kubectl.ok(['get', ...object, '-o', 'jsonpath={.metadata.labels}'])) || '{}');

  it('mutate what is stored, and their warnings are shown', async () => {
    await configure('Mutating', 'label', '/first', { rules: [rule('', 'v1', 'configmaps')] });
    const created = await kubectl.run(['create', 'configmap', 'a', '--from-literal=k=v']);
    expect([created.stderr.trim(), await labelsOf('configmap', 'a')]).toEqual([
      'Warning: labelled by first',
      { first: 'yes' },
    ]);
    await kubectl.ok(['create', 'configmap', 'dry', '--dry-run=server']);
    await forget('mutating', 'label');
    await kubectl.ok(['create', 'configmap', 'b']);
    expect([await labelsOf('configmap', 'b'), seen.map(({ name }) => name)]).toEqual([{}, ['a', 'dry']]);
  });

  it('deny with their message, deletes too, and where the namespace is labelled', async () => {
    await kubectl.ok(['create', 'namespace', 'guarded']);
    await kubectl.ok(['create', 'configmap', '-n', 'guarded', 'kept']);
    await kubectl.ok(['label', 'namespace', 'guarded', 'guard=on']);
    await configure('Validating', 'guard', '/deny', {
      rules: [rule('', 'v1', 'configmaps', ['*'])],
      namespaceSelector: { matchLabels: { guard: 'on' } },
    });
    const created = await kubectl.run(['create', 'configmap', '-n', 'guarded', 'c']);
    const deleted = await kubectl.run(['delete', 'configmap', '-n', 'guarded', 'kept']);
    await kubectl.ok(['create', 'configmap', 'elsewhere']);
    await forget('validating', 'guard');
    expect([created.stderr.trim(), deleted.stderr.trim()]).toEqual([
      'error: failed to create configmap: admission webhook "guard.example.com" denied the request: no CREATE here',
      'Error from server: admission webhook "guard.example.com" denied the request: no DELETE here',
    ]);
  });

  it('receive objects in the version of their rules', async () => {
    await configure('Mutating', 'scaler', '/scaler', {
      rules: [rule('autoscaling', 'v1', 'horizontalpodautoscalers')],
    });
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    };
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(autoscaler));
    await forget('mutating', 'scaler');
    const [request] = seen;
    expect([
      request?.kind.version,
      request?.requestKind.version,
      request?.object.spec?.['targetCPUUtilizationPercentage'],
      request?.object.spec?.['minReplicas'],
      await labelsOf('horizontalpodautoscaler', 'h'),
    ]).toEqual(['v1', 'v2', 50, 1, { scaler: 'yes' }]);
  });

  it('receive subresources and custom resources', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'lamps.house.example' },
      spec: {
        group: 'house.example',
        scope: 'Namespaced',
        names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
              },
            },
          },
        ],
      },
    };
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(definition));
    await kubectl.established('lamps.house.example');
    await kubectl.ok(['create', 'deployment', 'd', '--image=i']);
    await configure('Mutating', 'lamp', '/lamp', { rules: [rule('house.example', '*', 'lamps')] });
    await configure('Validating', 'scale', '/deny', { rules: [rule('apps', 'v1', 'deployments/scale')] });
    const lamp = { apiVersion: 'house.example/v1', kind: 'Lamp', metadata: { name: 'l' }, spec: {} };
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(lamp));
    const scaled = await kubectl.run(['scale', 'deployment', 'd', '--replicas=2']);
    await forget('mutating', 'lamp');
    await forget('validating', 'scale');
    expect([
      seen.map(({ kind, subResource }) => [kind.kind, subResource]),
      seen[0]?.object.spec,
      await labelsOf('lamp', 'l'),
      scaled.stderr.trim(),
    ]).toEqual([
      [
        ['Lamp', undefined],
        ['Scale', 'scale'],
      ],
      { on: true },
      { lamp: 'yes' },
      'Error from server: admission webhook "scale.example.com" denied the request: no UPDATE here',
    ]);
  });

  it.each(['Fail', 'Ignore'])(
    'with a certificate of others are not called, and the policy is %s',
    async (failurePolicy) => {
      const caBundle = Buffer.from(stranger.certificate).toString('base64');
      await configure('Validating', 'wrong', '/deny', {
        clientConfig: { url: `https://127.0.0.1:${webhook.port}/deny`, caBundle },
        rules: [rule('', 'v1', 'secrets')],
        failurePolicy,
      });
      const { stderr } = await kubectl.run(['create', 'secret', 'generic', `s-${failurePolicy.toLowerCase()}`]);
      await forget('validating', 'wrong');
      const url = `https://127.0.0.1:${webhook.port}/deny?timeout=10s`;
      const reason = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
      const refused = `error: failed to create secret Internal error occurred: failed calling webhook "wrong.example.com": failed to call webhook: Post "${url}": ${reason}`;
      expect([stderr.trim(), seen]).toEqual([failurePolicy === 'Fail' ? refused : '', []]);
    },
  );
});
