import type { Pod } from '@apiserver/api/core/v1';
import { describe, expect, it } from 'vitest';
import { podRowConditions } from './columns.js';

describe('podRowConditions', () => {
  it.each([
    ['Running', []],
    [
      'Succeeded',
      [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }],
    ],
    ['Failed', [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }]],
  ])('of a pod that is %s', (phase, conditions) =>
    expect(podRowConditions({ metadata: {}, spec: {}, status: { phase } } as Pod)).toEqual(conditions),
  );

  it('of a bookmark', () => expect(podRowConditions({ metadata: {} } as Pod)).toEqual([]));
});
