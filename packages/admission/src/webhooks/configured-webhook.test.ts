import { expect, it } from 'vitest';
import { ConfiguredWebhook, type WebhookFields } from './configured-webhook.js';

const configured = (clientConfig: WebhookFields['clientConfig'], more: Partial<WebhookFields> = {}) =>
  new ConfiguredWebhook('uid', 'configuration', {
    name: 'w',
    clientConfig,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  });

it.each<[string, WebhookFields['clientConfig'], object]>([
  ['a URL', { url: 'https://a' }, { name: 'w', caBundle: '', url: 'https://a' }],
  [
    'a service',
    { service: { namespace: 'ns', name: 's' }, caBundle: Buffer.from('PEM').toString('base64') },
    { name: 'w', caBundle: 'PEM', service: { namespace: 'ns', name: 's', port: 443 } },
  ],
  [
    'a port of a service',
    { service: { namespace: 'ns', name: 's', port: 8443, path: '/p' } },
    { name: 'w', caBundle: '', service: { namespace: 'ns', name: 's', port: 8443, path: '/p' } },
  ],
])('is called at %s', (_what, clientConfig, expected) => {
  expect(configured(clientConfig).clientConfig).toStrictEqual(expected);
});

it.each<[string | undefined, boolean]>([
  ['Ignore', true],
  ['Fail', false],
  [undefined, false],
])('with the failure policy %s, ignores failures: %s', (failurePolicy, ignores) => {
  const webhook = configured({ url: 'https://a' }, failurePolicy === undefined ? {} : { failurePolicy });
  expect([webhook.ignoresFailures, webhook.name, webhook.uid, webhook.configurationName]).toEqual([
    ignores,
    'w',
    'uid',
    'configuration',
  ]);
});
