import type { PodSpec } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { container, pod } from '../../testing/sample-objects.js';
import { isSignificantUpdate } from './significant-update.js';

const other = container({ image: 'other' });
const debug = (image: string, name = 'd') => ({ ...container({ name, image }) });

it.each<[string, Partial<PodSpec>, Partial<PodSpec>, boolean]>([
  ['nothing', {}, {}, false],
  ['another field', { activeDeadlineSeconds: 5 }, {}, false],
  ['resources', { containers: [container({ resources: { limits: { cpu: '1' } } })] }, {}, false],
  ['an image', { containers: [other] }, {}, true],
  ['an image of an init container', { initContainers: [other] }, { initContainers: [container()] }, true],
  ['a new init container', { initContainers: [container()] }, {}, true],
  ['a container less', { containers: [container()] }, { containers: [container(), container({ name: 'd' })] }, true],
  ['a new ephemeral container', { ephemeralContainers: [debug('i')] }, {}, true],
  [
    'the order of ephemeral containers',
    { ephemeralContainers: [debug('i'), debug('j', 'e')] },
    { ephemeralContainers: [debug('j', 'e'), debug('i')] },
    false,
  ],
  [
    'an image of an ephemeral container',
    { ephemeralContainers: [debug('j')] },
    { ephemeralContainers: [debug('i')] },
    true,
  ],
])('a change of %s', (_, spec, old, isSignificant) => {
  expect(isSignificantUpdate(pod(spec), pod(old))).toBe(isSignificant);
});
