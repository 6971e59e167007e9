import type { Container, Pod, PodSpec } from '@apiserver/api/core/v1';
import { newForbidden, plainFailure } from '@apiserver/apimachinery/errors';
import { ConfigurationError } from '@apiserver/component-base/configuration';
import { describe, expect, it } from 'vitest';
import type { ReviewWebhookOptions, SentReview } from '../../plugin-definition.js';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { container, pod } from '../../testing/sample-objects.js';
import { imagePolicyWebhook } from './image-policy-webhook.js';

const imaged = (image: string): Container => container({ image });
const review = (spec: object): SentReview => ({
  kind: 'ImageReview',
  apiVersion: 'imagepolicy.k8s.io/v1alpha1',
  metadata: {},
  spec,
  status: { allowed: false },
});

/** A plugin whose webhook gives a response, or throws it. */
function webhook(response: object | Error, imagePolicy: object = {}) {
  const reviews: SentReview[] = [];
  const options: ReviewWebhookOptions[] = [];
  const annotations: string[] = [];
  const dependencies = testPluginDependencies(
    {},
    {
      configuration: { imagePolicy: { kubeConfigFile: 'k', ...imagePolicy } },
      reviewWebhook: (given) => {
        options.push(given);
        return async (sent) => {
          reviews.push(sent);
          if (response instanceof Error) throw response;
          return response;
        };
      },
    },
  );
  const plugin = imagePolicyWebhook(dependencies);
  const admit = async (object: Pod, resource = 'pods') => {
    const addAnnotation = (key: string, value: string) => {
      annotations.push(`${key}=${value}`);
      return undefined;
    };
    const attributes = objectAttributes(resource, object, { addAnnotation });
    const outcome = await runPlugin(plugin, attributes);
    return 'refused' in outcome ? outcome.refused : 'admitted';
  };
  return { plugin, admit, reviews, options, annotations, advance: dependencies.advance };
}

describe('a review', () => {
  it.each<[string, string, Partial<PodSpec>, Record<string, string>, object]>([
    [
      'of containers and init containers',
      'pods',
      { containers: [imaged('a'), imaged('b')], initContainers: [imaged('c')] },
      {},
      { containers: [{ image: 'a' }, { image: 'b' }, { image: 'c' }], namespace: 'ns' },
    ],
    [
      'of ephemeral containers',
      'pods/ephemeralcontainers',
      { containers: [imaged('a')], ephemeralContainers: [imaged('e'), { name: 'f', resources: {} }] },
      {},
      { containers: [{ image: 'e' }, {}], namespace: 'ns' },
    ],
    [
      'with the annotations for it',
      'pods',
      { containers: [imaged('a')] },
      { 'z.image-policy.k8s.io/y': '1', 'a.image-policy.k8s.io/x': '2', 'image-policy.k8s.io/x': '3', other: '4' },
      {
        containers: [{ image: 'a' }],
        annotations: { 'a.image-policy.k8s.io/x': '2', 'z.image-policy.k8s.io/y': '1' },
        namespace: 'ns',
      },
    ],
    ['of no containers', 'pods/ephemeralcontainers', {}, {}, { namespace: 'ns' }],
  ])('%s is sent', async (_, ...[resource, spec, annotations, sent]) => {
    const { admit, reviews } = webhook({ allowed: true });
    expect(await admit(pod(spec, { annotations }), resource)).toBe('admitted');
    expect(reviews).toEqual([review(sent)]);
  });

  it('has the kubeconfig and the pause of the configuration', () => {
    const { options } = webhook({ allowed: true }, { kubeConfigFile: '/etc/w', RetryBackoff: 20 });
    expect(options).toEqual([{ configFile: '/etc/w', retryBackoff: 20 }]);
  });
});

describe('a response', () => {
  it.each<[string, object | Error, object, string, readonly string[]]>([
    ['that allows', { allowed: true, auditAnnotations: { a: 'b' } }, {}, 'admitted', ['a=b']],
    ['that denies', { allowed: false }, {}, 'one or more images rejected by webhook backend', []],
    ['without a decision', {}, {}, 'one or more images rejected by webhook backend', []],
    [
      'that denies with a reason',
      { allowed: false, reason: 'no latest', auditAnnotations: { a: 'b' } },
      { defaultAllow: true },
      'image policy webhook backend denied one or more images: no latest',
      ['a=b'],
    ],
    ['that fails', plainFailure(500, 'no disk'), {}, 'no disk', []],
    [
      'that fails, with defaultAllow',
      plainFailure(500, 'no disk'),
      { defaultAllow: true },
      'admitted',
      ['failed-open=true'],
    ],
  ])('%s', async (_, ...[response, configuration, outcome, audited]) => {
    const { admit, annotations } = webhook(response, configuration);
    const refused = outcome === 'admitted' ? outcome : `pods "p" is forbidden: ${outcome}`;
    expect(await admit(pod())).toBe(refused);
    expect(annotations).toEqual(audited.map((text) => `imagepolicywebhook.image-policy.k8s.io/${text}`));
  });

  it('that is a 403 itself is passed on', async () => {
    const { admit } = webhook(newForbidden({ group: '', resource: 'reviews' }, 'r', 'not you'));
    expect(await admit(pod())).toBe('reviews "r" is forbidden: not you');
  });
});

describe('the cache', () => {
  /** Counts the reviews of equal pods after each of these times, in seconds. */
  const reviewsAfter = async (response: object | Error, configuration: object, ...seconds: number[]) => {
    const { admit, reviews, advance } = webhook(response, configuration);
    const counts: number[] = [];
    for (const pause of [0, ...seconds]) {
      advance(pause * 1000);
      await admit(pod());
      counts.push(reviews.length);
    }
    return counts;
  };

  it.each<[string, object | Error, object, readonly number[], readonly number[]]>([
    ['keeps approvals for five minutes', { allowed: true }, {}, [299, 1], [1, 1, 2]],
    ['keeps denials for half a minute', { allowed: false }, {}, [29, 1], [1, 1, 2]],
    ['keeps approvals as configured', { allowed: true }, { allowTTL: 2, denyTTL: 100 }, [1, 1], [1, 1, 2]],
    ['keeps denials as configured', { allowed: false }, { allowTTL: 100, denyTTL: 2 }, [1, 1], [1, 1, 2]],
    ['keeps nothing with -1', { allowed: true }, { allowTTL: -1 }, [0, 0], [1, 2, 3]],
    ['keeps no failures', plainFailure(500, 'no disk'), { defaultAllow: true }, [0, 0], [1, 2, 3]],
  ])('%s', async (_, ...[response, configuration, pauses, counts]) => {
    expect(await reviewsAfter(response, configuration, ...pauses)).toEqual(counts);
  });

  it('keeps long reasons up to 32 Mi characters in all', async () => {
    const { admit, reviews } = webhook({ allowed: false, reason: 'x'.repeat(9 * 2 ** 20) });
    for (const image of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await admit(pod({ containers: [imaged(image)] }));
    expect(reviews.map(({ spec }) => spec)).toEqual(
      ['a', 'b', 'c', 'd', 'b'].map((image) => ({ containers: [{ image }], namespace: 'ns' })),
    );
  });

  it('knows reviews by their content, whatever the order of annotations', async () => {
    const { admit, reviews } = webhook({ allowed: true });
    const annotations = (...keys: string[]) =>
      Object.fromEntries(keys.map((key) => [`${key}.image-policy.k8s.io/`, '']));
    await admit(pod({}, { annotations: annotations('a', 'b') }));
    await admit(pod({}, { annotations: annotations('b', 'a') }));
    await admit(pod({ containers: [imaged('other')] }));
    expect(reviews).toHaveLength(2);
  });
});

it('handles creates and updates of pods and of their ephemeral containers', () => {
  const { plugin } = webhook({ allowed: true });
  const scope = (resource: string) => objectAttributes(resource, pod()).scope;
  expect([
    plugin.handles('CREATE', scope('pods')),
    plugin.handles('UPDATE', scope('pods/ephemeralcontainers')),
    plugin.handles('UPDATE', scope('pods/status')),
    plugin.handles('DELETE', scope('pods')),
    plugin.handles('CREATE', scope('pods.example.com')),
  ]).toEqual([true, true, false, false, false]);
});

describe('the configuration', () => {
  it.each<[object | undefined, string]>([
    [undefined, 'no config specified'],
    [{ allowTTL: 1 }, 'valid value is between 1s and 30m0s, got 1s'],
    [{ denyTTL: 1801 }, 'valid value is between 1s and 30m0s, got 30m1s'],
    [{ denyTTL: -2 }, 'valid value is between 1s and 30m0s, got -2s'],
    [{ retryBackoff: 300_001 }, 'valid value is between 1ns and 5m0s, got 5m0.001s'],
    [
      { allowTTL: '30s' },
      'json: cannot unmarshal string into Go struct field imagePolicyWebhookConfig.imagePolicy.allowTTL of type time.Duration',
    ],
    [
      { retryBackoff: 1.5 },
      'json: cannot unmarshal number into Go struct field imagePolicyWebhookConfig.imagePolicy.retryBackoff of type time.Duration',
    ],
    [{ allowTTL: 1800, denyTTL: 2, retryBackoff: 300_000, other: 1 }, ''],
    [{ retryBackoff: -1 }, ''],
  ])('%j: %s', (imagePolicy, fault) => {
    const configuration = imagePolicy && { imagePolicy };
    const create = () => imagePolicyWebhook(testPluginDependencies({}, { configuration }));
    if (fault === '') expect(create).not.toThrow();
    else expect(create).toThrow(new ConfigurationError(fault));
  });
});
