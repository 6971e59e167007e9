import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.js';

it.each([
  ['kubernetes.io/hostname', true],
  ['zone', false],
])('keeps apart by %s', async (topologyKey, isAllowed) => {
  const requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey }];
  const object = pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } });
  expect(await runPlugin(limitPodHardAntiAffinityTopology(), objectAttributes('pods', object))).toEqual(
    isAllowed
      ? { object }
      : {
          refused:
            'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
        },
  );
});
