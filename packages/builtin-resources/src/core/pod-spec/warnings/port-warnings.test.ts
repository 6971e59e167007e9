import type { ContainerPort } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portWarnings } from './port-warnings.js';

const warningsOf = (ports: readonly ContainerPort[]) =>
  portWarnings({ containers: [{ name: 'c', resources: {}, ports: [...ports] }] }, FieldPath.of('spec'));

/** The conflict of two ports, pair by pair. */
function clash(a: ContainerPort, b: ContainerPort): string | undefined {
  const [aPort, bPort, aIP, bIP] = [a.hostPort ?? 0, b.hostPort ?? 0, a.hostIP ?? '', b.hostIP ?? ''];
  if (a.containerPort !== b.containerPort || a.protocol !== b.protocol) return undefined;
  if (aPort === bPort && aIP === bIP) return 'duplicate';
  if (aPort === 0 || bPort === 0) return 'overlapping';
  return aPort === bPort && (aIP === '') !== (bIP === '') ? 'dangerously ambiguous' : undefined;
}

describe('portWarnings', () => {
  it('reports every conflict, as comparing all pairs does', () => {
    const port: fc.Arbitrary<ContainerPort> = fc.record(
      {
        containerPort: fc.integer({ min: 1, max: 2 }),
        protocol: fc.constantFrom('TCP', 'UDP'),
        hostPort: fc.integer({ min: 0, max: 2 }),
        hostIP: fc.constantFrom('', '1.1.1.1', '2.2.2.2'),
      },
      { requiredKeys: ['containerPort'] },
    );
    fc.assert(
      fc.property(fc.array(port, { maxLength: 12 }), (ports) => {
        const expected = ports.flatMap((port, j) =>
          ports.slice(0, j).flatMap((other, i) => {
            const what = clash(port, other);
            const place = (index: number) => `spec.containers[0].ports[${index}]`;
            return what === undefined ? [] : [`${place(j)}: ${what} port definition with ${place(i)}`];
          }),
        );
        expect(warningsOf(ports).filter((text) => text.includes(' with spec.'))).toEqual(expected);
      }),
    );
  });

  it.each<[string, (i: number) => ContainerPort, number]>([
    ['that are all the same', () => ({ containerPort: 1 }), 2000],
    ['without conflicts', (i) => ({ containerPort: 1, hostPort: i + 1 }), 0],
    ['that differ only in the addresses', (i) => ({ containerPort: 1, hostPort: 1, hostIP: `${i}` }), 0],
  ])('checks 60,000 ports %s', (_, port, most) => {
    expect(warningsOf(Array.from({ length: 60_000 }, (_, i) => port(i))).length).toBeLessThanOrEqual(most);
  });
});
