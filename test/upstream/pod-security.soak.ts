import { evaluatePod, formatReasons, formatViolations } from '@apiserver/admission/pod-security';
import { Pod } from '@apiserver/api/core/v1';
import type { Json } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { RandomPod } from './random-pod.ts';
import { describeUpstream } from './upstream-program.ts';

const VERSIONS = [...Array.from({ length: 38 }, (_, minor) => `v1.${minor}`), 'latest'];
type Level = readonly ['baseline' | 'restricted', string];
const LEVELS: readonly Level[] = VERSIONS.flatMap((version): Level[] => [
  ['baseline', version],
  ['restricted', version],
]);

interface PodCase {
  readonly pod: object;
  readonly levels: readonly Level[];
}

function randomCase(random: Random): PodCase {
  return { pod: new RandomPod(random).pod(), levels: LEVELS.filter(() => random.chance(0.3)) };
}

const codec = compileKind(Pod);

function ours({ pod, levels }: PodCase): object {
  const { object } = codec.fromJson(structuredClone(pod) as Json, 'Ignore');
  return levels.map(([level, version]) => {
    const violations = evaluatePod({ level, version }, object);
    const allowed = violations.length === 0;
    return {
      allowed,
      reason: allowed ? '' : formatReasons(violations),
      detail: allowed ? '' : formatViolations(violations),
    };
  });
}

describeUpstream('pod security', (upstream) => {
  it('decides as upstream', () => compareCases(upstream(), { area: 'podSecurity', randomCase, ours }));
});
