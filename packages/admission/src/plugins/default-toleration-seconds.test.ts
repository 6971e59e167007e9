import type { Pod, Toleration } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';

const plugin = defaultTolerationSeconds({ notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 60 });
const of = (key: string, tolerationSeconds: number) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});
const NOT_READY = of('node.kubernetes.io/not-ready', 300);
const UNREACHABLE = of('node.kubernetes.io/unreachable', 60);

it.each<[string, Toleration[], Toleration[]]>([
  ['nothing', [], [NOT_READY, UNREACHABLE]],
  ['something else', [{ key: 'a' }], [{ key: 'a' }, NOT_READY, UNREACHABLE]],
  [
    'another effect',
    [{ ...NOT_READY, effect: 'NoSchedule' }],
    [{ ...NOT_READY, effect: 'NoSchedule' }, NOT_READY, UNREACHABLE],
  ],
  ['one of them', [{ ...NOT_READY, tolerationSeconds: 5 }], [{ ...NOT_READY, tolerationSeconds: 5 }, UNREACHABLE]],
  ['everything', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
  [
    'every key of the effect',
    [{ operator: 'Exists', effect: 'NoExecute' }],
    [{ operator: 'Exists', effect: 'NoExecute' }],
  ],
])('a pod that tolerates %s', async (_what, tolerations, expected) => {
  for (const oldObject of [undefined, pod()]) {
    const changes = oldObject === undefined ? {} : { oldObject };
    const outcome = await runPlugin(plugin, objectAttributes('pods', pod({ tolerations }), changes));
    expect((outcome as { object: Pod }).object.spec.tolerations).toEqual(expected);
  }
});
