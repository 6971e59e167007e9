import type { Random } from '../../watch/random.ts';
import { maybe, some } from './random-metadata.ts';

const RESOURCES = ['cpu', 'memory', 'hugepages-2Mi', 'example.com/gpu', 'ephemeral-storage'] as const;
const AMOUNTS = ['0', '1', '2', '100m', '1Gi', '500M', '1500m', '3k', '0.1', '1e3', '10Mi'] as const;

function randomAmounts(random: Random): object {
  return Object.fromEntries(some(random, 4, () => [random.of(RESOURCES), random.of(AMOUNTS)]));
}

/** A pod whose containers, status and overhead have amounts. */
export function randomPodAmounts(random: Random): object {
  const amounts = () => randomAmounts(random);
  const resources = () => ({ requests: amounts(), limits: amounts() });
  const status = (name: string) => ({
    name,
    ...maybe(random, 0.6, 'allocatedResources', amounts),
    ...maybe(random, 0.6, 'resources', resources),
  });
  return {
    spec: {
      containers: ['a', 'b'].map((name) => ({ name, resources: resources() })),
      initContainers: some(random, 4, resources).map((one, index) => ({
        name: `i${index}`,
        resources: one,
        ...maybe(random, 0.5, 'restartPolicy', () => 'Always'),
      })),
      ...maybe(random, 0.4, 'overhead', amounts),
      ...maybe(random, 0.4, 'resources', resources),
    },
    status: {
      containerStatuses: some(random, 3, () => status(random.of(['a', 'b']))),
      initContainerStatuses: some(random, 4, () => status(random.of(['i0', 'i1', 'i2']))),
      conditions: some(random, 3, () => ({
        type: random.of(['PodResizePending', 'Ready']),
        reason: random.of(['Infeasible', 'Deferred']),
      })),
    },
  };
}
