import { expect, it, vi } from 'vitest';
import { mergedContainers } from './merged-containers.js';

const container = (...parts: readonly [group: string, ...versions: string[]][]) => ({
  installed: () => parts.map(([group, ...versions]) => ({ group, versions, resources: [] })),
  onChange: vi.fn(() => () => undefined),
});

it('gives each group version to the first container that has it', () => {
  const builtIn = container(['', 'v1'], ['networking.k8s.io', 'v1']);
  const defined = container(
    ['networking.k8s.io', 'v1', 'v2'],
    ['networking.k8s.io', 'v1'],
    ['example.com', 'v1'],
    ['example.com', 'v1', 'v2'],
  );
  const parts = mergedContainers(builtIn, defined).installed();
  expect(parts.map(({ group, versions }) => [group, ...versions])).toEqual([
    ['', 'v1'],
    ['networking.k8s.io', 'v1'],
    ['networking.k8s.io', 'v2'],
    ['example.com', 'v1'],
    ['example.com', 'v1', 'v2'],
  ]);
});
