import { evaluatePod, formatReasons, formatViolations } from '@apiserver/admission/pod-security';
import { Pod } from '@apiserver/api/core/v1';
import type { Json } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { RandomPod } from './random-pod.ts';
import { describeUpstream } from './upstream-program.ts';

const VERSIONS = [
  'v1.0',
  'v1.8',
  'v1.19',
  'v1.22',
  'v1.24',
  'v1.25',
  'v1.27',
  'v1.29',
  'v1.31',
  'v1.34',
  'v1.36',
  'latest',
];
const LEVELS = VERSIONS.flatMap((version) => [['baseline', version] as const, ['restricted', version] as const]);

interface PodCase {
  readonly pod: object;
  readonly levels: typeof LEVELS;
}

function randomCase(random: Random): PodCase {
  return { pod: new RandomPod(random).pod(), levels: LEVELS };
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
