import { expect, test } from 'vitest';
import { WebhookFixture } from '../testing/webhook-fixture.js';
import { ConfiguredWebhook } from './configured-webhook.js';
import { CombinedWebhooks, InformedWebhooks, type WebhookConfiguration, webhooksOf } from './webhook-source.js';

const fields = (name: string) => ({
  name,
  clientConfig: { url: 'https://a' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});
const configuration = (name: string, ...webhooks: readonly string[]): WebhookConfiguration => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name },
  webhooks: webhooks.map(fields),
});

test('webhooks with the same name have different uids', () => {
  const webhooks = webhooksOf(configuration('c', 'a', 'b', 'a', 'a'), 'p');
  expect(webhooks.map(({ uid, name, configurationName }) => [uid, name, configurationName])).toEqual([
    ['p/a/0', 'a', 'c'],
    ['p/b/0', 'b', 'c'],
    ['p/a/1', 'a', 'c'],
    ['p/a/2', 'a', 'c'],
  ]);
  expect(webhooksOf({ ...configuration('c'), webhooks: undefined } as object as WebhookConfiguration, 'p')).toEqual([]);
});

test('a configuration that does not change keeps its webhooks', () => {
  const informer = new WebhookFixture(() => 1).validating;
  const source = new InformedWebhooks(informer);
  informer.put(configuration('b', 'x'));
  const [b] = source.webhooks;
  informer.put(configuration('c', 'z'));
  informer.put(configuration('a', 'y'));
  expect([source.webhooks.map(({ uid }) => uid), source.webhooks[1] === b, source.webhooks]).toEqual([
    ['a/y/0', 'b/x/0', 'c/z/0'],
    true,
    source.webhooks,
  ]);
  informer.put(configuration('b', 'x'));
  expect(source.webhooks[1]).not.toBe(b);
  const [a] = source.webhooks;
  informer.remove('a');
  informer.put(configuration('a', 'y'));
  expect(source.webhooks[0]).not.toBe(a);
});

test('combined webhooks are gathered again after a change of either source', () => {
  const one = webhooksOf(configuration('a', 'x'), 'a');
  const files = { webhooks: one };
  const api = { webhooks: webhooksOf(configuration('b', 'y'), 'b') };
  const source = new CombinedWebhooks(files, api);
  const names = () => source.webhooks.map(({ name }) => name);
  const first = source.webhooks;
  expect([names(), source.webhooks === first]).toEqual([['x', 'y'], true]);
  api.webhooks = [];
  expect(names()).toEqual(['x']);
  files.webhooks = [];
  expect(names()).toEqual([]);
  files.webhooks = one;
  expect(names()).toEqual(['x']);
});

test('a webhook has the port of HTTPS, unless it names one', () => {
  const clientOf = (service: object) =>
    new ConfiguredWebhook('u', 'c', {
      ...fields('a'),
      clientConfig: { service: { namespace: 'n', name: 's', ...service }, caBundle: 'YWI=' },
    }).clientConfig;
  expect([clientOf({}), clientOf({ port: 8443 }), new ConfiguredWebhook('u', 'c', fields('a')).clientConfig]).toEqual([
    { name: 'a', caBundle: 'ab', service: { namespace: 'n', name: 's', port: 443 } },
    { name: 'a', caBundle: 'ab', service: { namespace: 'n', name: 's', port: 8443 } },
    { name: 'a', caBundle: '', url: 'https://a' },
  ]);
});
