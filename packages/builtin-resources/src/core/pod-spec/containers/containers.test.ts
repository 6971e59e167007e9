import { expect, it } from 'vitest';
import { podFaults } from '../../../testing/pod-faults.js';

it.each<[object, readonly string[]]>([
  [{ resources: {} }, []],
  [{ resources: { limits: { cpu: '1' } } }, ['resources']],
  [{ lifecycle: {} }, ['lifecycle']],
])('an ephemeral container has %j', (more, fields) => {
  const refused = fields.map(
    (field) => `spec.ephemeralContainers[0].${field}: Forbidden: cannot be set for an Ephemeral Container`,
  );
  expect(podFaults({ ephemeralContainers: [{ name: 'e', image: 'i', ...more }] })).toEqual([
    ...refused,
    'spec.ephemeralContainers: Forbidden: cannot be set on create',
  ]);
});
